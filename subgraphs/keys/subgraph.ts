import { findKeys } from '../../domain/keys/key-records.ts'
import type { Subgraph } from '../runtime/subgraph.ts'
import { batched } from '../runtime/subgraph.ts'
import { presentApiKey } from './api-key.ts'
import { AccountResolver, ApiKeyResolver } from './api-key-resolver.ts'

const keyById = batched({
  findAll: async (context, keyIds) =>
    context.caller ? findKeys(context, { accountId: context.caller.accountId, keyIds }) : [],
  idOf: key => key.id,
})

/** The API keys of an account. */
export const subgraph: Subgraph = {
  name: 'keys',
  resolvers: [ApiKeyResolver, AccountResolver],
  references: {
    Account: async (context, id) => (context.caller?.accountId === id ? { id } : undefined),
    ApiKey: async (context, id) => {
      const record = await keyById(context, id)
      return record && presentApiKey(record)
    },
  },
}
