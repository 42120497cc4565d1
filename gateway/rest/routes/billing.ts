import type { Route } from './route.ts'

/** Balance, transactions and top-ups (docs/behaviour.md, Management API). */
export const billing: Route[] = [
  {
    method: 'GET',
    path: '/billing/balance',
    document: 'query readBalance { me { balance { credits held available currency } } }',
    answer: ['me', 'balance'],
  },
  {
    method: 'GET',
    path: '/billing/transactions',
    document: `
      query listTransactions($first: Int, $after: String) {
        transactions(first: $first, after: $after) {
          data: nodes {
            id credits amount paymentMethod status api_key_id: apiKey { id } request_id: request { id }
            task_id: task { id }
            createdAt
          }
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
]
