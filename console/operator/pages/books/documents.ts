import { graphql, type ResultOf } from '../../../graph/documents.ts'

export const reconciliationDocument = graphql(`
  query Reconciliation($first: Int!, $after: ID) {
    reconciliation(first: $first, after: $after) {
      accounts
      differences { accountId fault subject expected found }
      endCursor
    }
  }
`)

type Reconciliation = NonNullable<ResultOf<typeof reconciliationDocument>['reconciliation']>
export type LedgerDifference = Reconciliation['differences'][number]

/** An empty list names the type with whose mutations it is fetched again. */
export const stuckContext = { additionalTypenames: ['StuckTopUp', 'TopUp'] }

export const stuckDocument = graphql(`
  query StuckTopUps($first: Int, $after: String, $last: Int, $before: String) {
    stuckTopUps(first: $first, after: $after, last: $last, before: $before) {
      nodes { id accountId amount tax paymentIntentId createdAt calledAt }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`)

export type StuckTopUp = NonNullable<ResultOf<typeof stuckDocument>['stuckTopUps']>['nodes'][number]

export const endTopUpDocument = graphql(`
  mutation EndTopUp($input: EndTopUpInput!) { endTopUp(input: $input) { topUp { id status } } }
`)
