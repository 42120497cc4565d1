import { Problem } from '../../../schema/errors.ts'
import type { Tool } from '../wire.ts'

/**
 * The schema of a tool's arguments: an object at the top, though clients leave out what goes without saying.
 * Throws `invalid_request`, naming `at`, for anything else, and for choices at the top, which the vendor refuses.
 */
export function translateInputSchema(
  parameters: Record<string, unknown> | undefined,
  at: string,
): Tool['input_schema'] {
  const { $schema: _, type = 'object', ...rest } = parameters ?? {}
  const refuse = (message: string) => new Problem('invalid_request', { param: at, message })
  if (![type].flat().includes('object')) throw refuse('A schema here must be of type object.')
  const choice = ['oneOf', 'anyOf', 'allOf'].find(word => word in rest)
  if (choice) throw refuse(`The model does not take ${choice} at the top of a schema.`)
  return 'properties' in rest ? { type: 'object', ...rest } : { type: 'object', properties: {}, ...rest }
}
