import { graphql, type ResultOf } from '../../../graph/documents.ts'

export const accountDocument = graphql(`
  query AccountSettings { me { id name createdAt } }
`)

export const updateAccountDocument = graphql(`
  mutation UpdateAccount($input: UpdateAccountInput!) { updateAccount(input: $input) { account { id name } } }
`)

/** The money and the running tasks of the account. */
export const restDocument = graphql(`
  query RestOfAccount {
    me { id name balance { credits held } }
    tasks(first: 1, filter: { statuses: [PENDING] }) { totalCount }
  }
`)

export const closeAccountDocument = graphql(`
  mutation CloseOwnAccount($input: CloseOwnAccountInput!) {
    closeOwnAccount(input: $input) { eraseAt credits held runningTasks }
  }
`)

export type Closure = NonNullable<ResultOf<typeof closeAccountDocument>['closeOwnAccount']>

export const policyDocument = graphql(`
  query SignInPolicy { signInStatus { requiresSecondFactor hasSecondFactor } }
`)

export const requireSecondFactorDocument = graphql(`
  mutation RequireSecondFactor($input: RequireSecondFactorInput!) {
    requireSecondFactor(input: $input) { isRequired }
  }
`)

export const domainsDocument = graphql(`
  query SignInDomains { signInDomains { domain issuer { name title } } }
`)

export type SignInDomain = NonNullable<ResultOf<typeof domainsDocument>['signInDomains']>[number]

export const allowancesDocument = graphql(`
  query Allowances { me { id allowances { resource limit unit windowSeconds isOwn } } }
`)

export type Allowance = NonNullable<ResultOf<typeof allowancesDocument>['me']['allowances']>[number]
