import type { Route } from './route.ts'

const alertRecord = 'id threshold lastSentAt createdAt'

/** Balance alerts (docs/behaviour.md, Alerts). */
export const alerts: Route[] = [
  {
    method: 'GET',
    path: '/billing/alerts',
    document: `query listAlerts { me { data: balanceAlerts { ${alertRecord} } } }`,
    caller: 'manager',
  },
  {
    method: 'POST',
    path: '/billing/alerts',
    document: `
      mutation createAlert($input: CreateBalanceAlertInput!) {
        createBalanceAlert(input: $input) { balanceAlert { ${alertRecord} } }
      }`,
    caller: 'manager',
    answer: ['create_balance_alert', 'balance_alert'],
    status: 201,
  },
  {
    method: 'DELETE',
    path: '/billing/alerts/{id}',
    document:
      'mutation deleteAlert($id: ID!) { deleteBalanceAlert(input: { id: $id }) { deletedBalanceAlertId } }',
    caller: 'manager',
    status: 204,
  },
]
