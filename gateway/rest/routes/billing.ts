import type { Route } from '../route.ts'

/** Balance and transactions (docs/behaviour.md, Management API). */
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
      query listTransactions($page: Int, $perPage: Int) {
        transactionPage(page: $page, perPage: $perPage) {
          data: items { id credits amount paymentMethod status apiKeyId requestId taskId createdAt }
          total page perPage
        }
      }`,
  },
]
