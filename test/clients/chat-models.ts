import { vendors } from '../vendors/vendors.ts'

/** One model per wire format. Clients see no difference between them. */
export const chatModels = vendors.map(({ model }) => model)

/** What clients speak to them. */
export const protocols = ['messages', 'responses', 'chat'] as const
export type ClientProtocol = (typeof protocols)[number]

/** Each model over each protocol. */
export const protocolsOfModels = protocols.flatMap(protocol =>
  chatModels.map(model => [protocol, model] as const),
)

/** More than the fewest tokens that a vendor caches. */
export const longInstructions = 'Remember the rules of the system. '.repeat(400)
