import type { Subgraph } from '../runtime/subgraph.ts'
import { ApiKeyResolver } from './api-key-resolver.ts'
import { RequestResolver } from './request-resolver.ts'

/** What was asked of models, and what that came to. */
export const subgraph: Subgraph = {
  name: 'logs',
  resolvers: [RequestResolver, ApiKeyResolver],
  references: { ApiKey: async (_context, id) => ({ id }) },
}
