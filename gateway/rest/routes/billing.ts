import type { Route } from './route.ts'

export const topUpRecord = `
  id kind amount tax currency status failure checkoutUrl receiptUrl invoiceUrl invoicePdfUrl createdAt completedAt`

export const automaticTopUpRecord = 'isEnabled threshold amount dailyMaximum stopReason retryAt'

export const transactionRecord = `
  id credits amount paymentMethod status api_key_id: apiKey { id } request_id: request { id } task_id: task { id }
  createdAt`

export const balanceRecord = 'credits held available currency'

/** Balance, transactions, top-ups, the saved card and billing details (docs/behaviour.md, Management API). */
export const billing: Route[] = [
  {
    method: 'GET',
    path: '/billing/balance',
    document: `query readBalance { me { balance { ${balanceRecord} } } }`,
    answer: ['me', 'balance'],
  },
  {
    method: 'GET',
    path: '/billing/transactions',
    document: `
      query listTransactions($first: Int, $after: String) {
        transactions(first: $first, after: $after) {
          data: nodes { ${transactionRecord} }
          totalCount
        }
      }`,
    page: ['total', 'page', 'per_page'],
  },
  {
    method: 'POST',
    path: '/billing/topup',
    document: `
      mutation startTopUp($input: StartTopUpInput!) {
        startTopUp(input: $input) { topUp { id amount currency status checkoutUrl createdAt } }
      }`,
    caller: 'manager',
    headers: { 'idempotency-key': 'idempotency_key' },
    status: 201,
    answer: ['start_top_up', 'top_up'],
  },
  {
    method: 'GET',
    path: '/billing/topup',
    document: `
      query listTopUps($first: Int, $after: String) {
        topUps(first: $first, after: $after) { data: nodes { ${topUpRecord} } totalCount }
      }`,
    caller: 'manager',
    page: ['total', 'page', 'per_page'],
  },
  {
    method: 'GET',
    path: '/billing/topup/{id}',
    document: `query readTopUp($id: ID!) { topUp(id: $id) { ${topUpRecord} } }`,
    caller: 'manager',
  },
  {
    method: 'GET',
    path: '/billing/automatic-topup',
    document: `query readAutomaticTopUp { me { automaticTopUp { ${automaticTopUpRecord} } } }`,
    caller: 'manager',
    answer: ['me', 'automatic_top_up'],
  },
  {
    method: 'PUT',
    path: '/billing/automatic-topup',
    document: `
      mutation updateAutomaticTopUp($input: UpdateAutomaticTopUpInput!) {
        updateAutomaticTopUp(input: $input) { automaticTopUp { ${automaticTopUpRecord} } }
      }`,
    caller: 'manager',
    answer: ['update_automatic_top_up', 'automatic_top_up'],
  },
  {
    method: 'GET',
    path: '/billing/card',
    document: 'query readSavedCard { me { savedCard { brand last4 expiryMonth expiryYear savedAt } } }',
    caller: 'manager',
  },
  {
    method: 'POST',
    path: '/billing/card',
    document: 'mutation startCardSetup { startCardSetup { url } }',
    caller: 'manager',
    status: 201,
  },
  {
    method: 'DELETE',
    path: '/billing/card',
    document: 'mutation removeSavedCard { removeSavedCard { removedCardId } }',
    caller: 'manager',
    status: 204,
  },
  {
    method: 'GET',
    path: '/billing/details',
    document: 'query readBillingDetails { me { billingDetails { name email address taxIds } } }',
    caller: 'manager',
  },
  {
    method: 'POST',
    path: '/billing/portal',
    document: 'mutation openBillingPortal { openBillingPortal { url } }',
    caller: 'manager',
    status: 201,
  },
]
