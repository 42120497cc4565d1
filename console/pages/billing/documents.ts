import { graphql, type ResultOf } from '../../graph/documents.ts'

export const billingDocument = graphql(`
  query Billing {
    me {
      id
      balance { credits held available }
      automaticTopUp { isEnabled threshold amount dailyMaximum stopReason retryAt }
    }
  }
`)

export type AutomaticTopUp = NonNullable<ResultOf<typeof billingDocument>['me']['automaticTopUp']>

/** What only members who handle money can read. */
export const cardDocument = graphql(`
  query Card { me { id savedCard { brand last4 expiryMonth expiryYear } } }
`)

export type SavedCard = NonNullable<ResultOf<typeof cardDocument>['me']['savedCard']>

/** Read from the payment processor, so it can take longer than the rest of the page. */
export const detailsDocument = graphql(`
  query BillingDetails { me { id billingDetails { name email address taxIds } } }
`)

export type CustomerDetails = NonNullable<ResultOf<typeof detailsDocument>['me']['billingDetails']>

const topUpFields = graphql(`
  fragment TopUpFields on TopUp {
    id
    kind
    amount
    tax
    status
    checkoutUrl
    failure
    receiptUrl
    invoiceUrl
    invoicePdfUrl
    createdAt
  }
`)

export type TopUp = ResultOf<typeof topUpFields>

export const topUpDocument = graphql(`query TopUp($id: ID!) { topUp(id: $id) { ...TopUpFields } }`, [
  topUpFields,
])

export const topUpsDocument = graphql(
  `
    query TopUps($first: Int, $after: String, $last: Int, $before: String) {
      topUps(first: $first, after: $after, last: $last, before: $before) {
        nodes { ...TopUpFields }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  `,
  [topUpFields],
)

export const startTopUpDocument = graphql(`
  mutation StartTopUp($input: StartTopUpInput!) { startTopUp(input: $input) { topUp { id checkoutUrl } } }
`)

export const startCardSetupDocument = graphql(`mutation StartCardSetup { startCardSetup { url } }`)

export const removeSavedCardDocument = graphql(`
  mutation RemoveSavedCard { removeSavedCard { removedCardId } }
`)

export const updateAutomaticDocument = graphql(`
  mutation UpdateAutomaticTopUp($input: UpdateAutomaticTopUpInput!) {
    updateAutomaticTopUp(input: $input) { automaticTopUp { isEnabled } }
  }
`)

export const openPortalDocument = graphql(`mutation OpenBillingPortal { openBillingPortal { url } }`)

export const transactionsDocument = graphql(`
  query Transactions(
    $first: Int, $after: String, $last: Int, $before: String, $filter: TransactionFilterInput
  ) {
    transactions(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
      nodes {
        id
        credits
        paymentMethod
        reason
        apiKey { id name }
        request { id modelName route }
        task { id }
        createdAt
      }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`)

export type Transaction = NonNullable<ResultOf<typeof transactionsDocument>['transactions']>['nodes'][number]
