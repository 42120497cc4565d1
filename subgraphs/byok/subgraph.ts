import { findCredentials } from '../../domain/byok/credential-records.ts'
import type { Subgraph } from '../runtime/subgraph.ts'
import { batched } from '../runtime/subgraph.ts'
import { presentByokCredential } from './byok-credential.ts'
import { AccountCredentialsResolver, ByokResolver } from './byok-resolver.ts'

const credentialById = batched({
  findAll: async (context, ids) =>
    context.caller ? findCredentials(context, { accountId: context.caller.accountId, ids }) : [],
  idOf: credential => credential.id,
})

/** Credentials that accounts bring for vendors. */
export const subgraph: Subgraph = {
  name: 'byok',
  resolvers: [ByokResolver, AccountCredentialsResolver],
  references: {
    Account: async (context, id) => (context.caller?.accountId === id ? { id } : undefined),
    ByokCredential: async (context, id) => {
      const record = await credentialById(context, id)
      return record && presentByokCredential(record)
    },
  },
}
