import { readAccount } from '../../domain/accounts/accounts.ts'
import type { Subgraph } from '../runtime/subgraph.ts'
import { AccountResolver, presentAccount } from './account.ts'
import { SessionResolver } from './session.ts'

/** Who the caller is, and log-in. */
export const subgraph: Subgraph = {
  name: 'accounts',
  resolvers: [AccountResolver, SessionResolver],
  references: {
    Account: async (context, id) => {
      if (context.caller?.accountId !== id) return undefined
      return presentAccount(await readAccount(context, { accountId: id }))
    },
  },
}
