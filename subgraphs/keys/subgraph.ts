import { callingKeyOf } from '../../domain/callers/caller.ts'
import { isPermitted } from '../../domain/callers/permissions.ts'
import { findKeys } from '../../domain/keys/key-records.ts'
import type { Subgraph } from '../runtime/subgraph.ts'
import { batched } from '../runtime/subgraph.ts'
import { presentApiKey } from './api-key.ts'
import { AccountKeysResolver, ApiKeyResolver } from './api-key-resolver.ts'

/** Callers who can list keys can read every key of the account. Other keys can read only themselves. */
const keyById = batched({
  findAll: async (context, keyIds) => {
    const { caller } = context
    if (!caller) return []
    const own = callingKeyOf(caller)
    const visible = isPermitted('Query.apiKeys', context) ? keyIds : keyIds.filter(id => id === own)
    return findKeys(context, { accountId: caller.accountId, keyIds: visible })
  },
  idOf: key => key.id,
})

/** The API keys of an account. */
export const subgraph: Subgraph = {
  name: 'keys',
  resolvers: [ApiKeyResolver, AccountKeysResolver],
  references: {
    Account: async (context, id) => (context.caller?.accountId === id ? { id } : undefined),
    ApiKey: async (context, id) => {
      const record = await keyById(context, id)
      return record && presentApiKey(record)
    },
  },
}
