import { graphql, type ResultOf } from '../../../graph/documents.ts'

const accountFields = graphql(`
  fragment AccountDetailFields on AccountOverview {
    id name emails createdAt credits held isPaying keyCount
    suspendedAt suspensionReason closedAt closingReason eraseAt erasedAt
    allowances { resource limit unit windowSeconds isOwn }
  }
`)

export type AccountDetail = ResultOf<typeof accountFields>
export type Allowance = AccountDetail['allowances'][number]

/** Changes of credits name the types that are fetched again. */
export const moneyContext = { additionalTypenames: ['AccountOverview', 'Transaction'] }

export const accountDocument = graphql(
  `query OperatorAccount($id: ID!) { account(id: $id) { ...AccountDetailFields } }`,
  [accountFields],
)

export const transactionsDocument = graphql(`
  query OperatorTransactions($accountId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    transactions(accountId: $accountId, first: $first, after: $after, last: $last, before: $before) {
      nodes { id credits paymentMethod reason createdAt request { id } task { id } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`)

export type Transaction = NonNullable<ResultOf<typeof transactionsDocument>['transactions']>['nodes'][number]

export const suspendDocument = graphql(
  `
    mutation SuspendAccount($input: SuspendAccountInput!) {
      suspendAccount(input: $input) { account { ...AccountDetailFields } }
    }
  `,
  [accountFields],
)

export const resumeDocument = graphql(
  `
    mutation ResumeAccount($input: ResumeAccountInput!) {
      resumeAccount(input: $input) { account { ...AccountDetailFields } }
    }
  `,
  [accountFields],
)

export const closeDocument = graphql(
  `
    mutation CloseAccount($input: CloseAccountInput!) {
      closeAccount(input: $input) { account { ...AccountDetailFields } }
    }
  `,
  [accountFields],
)

export const reopenDocument = graphql(
  `
    mutation ReopenAccount($input: ReopenAccountInput!) {
      reopenAccount(input: $input) { account { ...AccountDetailFields } }
    }
  `,
  [accountFields],
)

export const creditDocument = graphql(`
  mutation CreditAccount($input: CreditAccountInput!) {
    creditAccount(input: $input) { transaction { id } balance { credits } }
  }
`)

export const debitDocument = graphql(`
  mutation DebitAccount($input: DebitAccountInput!) {
    debitAccount(input: $input) { transaction { id } balance { credits } }
  }
`)

export const allowanceDocument = graphql(
  `
    mutation SetAllowance($input: SetAllowanceInput!) {
      setAllowance(input: $input) { account { ...AccountDetailFields } }
    }
  `,
  [accountFields],
)

export const viewDocument = graphql(`
  mutation ViewAccount($input: ViewAccountInput!) { viewAccount(input: $input) { accessToken expiresAt } }
`)

/** What members see of their account, read with a view. */
export const membersDocument = graphql(`
  query ViewedMembers($first: Int, $after: String, $last: Int, $before: String) {
    members(first: $first, after: $after, last: $last, before: $before) {
      nodes { id email name role emailConfirmedAt lastUsedAt }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`)

export type Member = NonNullable<ResultOf<typeof membersDocument>['members']>['nodes'][number]

export const keysDocument = graphql(`
  query ViewedKeys($first: Int, $after: String, $last: Int, $before: String) {
    apiKeys(first: $first, after: $after, last: $last, before: $before) {
      nodes { id name keyPrefix isProvisioning disabled expiresAt createdAt creditLimit creditUsed }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`)

export type Key = NonNullable<ResultOf<typeof keysDocument>['apiKeys']>['nodes'][number]

export const resetDocument = graphql(`
  mutation ResetSecondFactors($input: ResetSecondFactorsInput!) {
    resetSecondFactors(input: $input) { endedSessions }
  }
`)
