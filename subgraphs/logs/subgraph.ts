import type { Subgraph } from '../runtime/subgraph.ts'
import { RequestResolver } from './request-resolver.ts'
import { ApiKeyResolver } from './usage.ts'

/** The request log, and usage added up from it. */
export const subgraph: Subgraph = {
  name: 'logs',
  resolvers: [RequestResolver, ApiKeyResolver],
  references: { ApiKey: async (_context, id) => ({ id }) },
}
