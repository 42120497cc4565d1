import { graphql, type ResultOf } from '../../../graph/documents.ts'

const accountFields = graphql(`
  fragment AccountFields on AccountOverview {
    id name emails createdAt suspendedAt closedAt erasedAt credits isPaying keyCount
  }
`)

export type AccountRow = ResultOf<typeof accountFields>

export const accountsDocument = graphql(
  `
    query OperatorAccounts(
      $first: Int, $after: String, $last: Int, $before: String
      $search: String, $isSuspended: Boolean, $isClosed: Boolean, $isPaying: Boolean
    ) {
      accounts(
        first: $first, after: $after, last: $last, before: $before
        search: $search, isSuspended: $isSuspended, isClosed: $isClosed, isPaying: $isPaying
      ) {
        nodes { ...AccountFields }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  `,
  [accountFields],
)
