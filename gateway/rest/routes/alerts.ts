import type { Route } from './route.ts'

export const alertRecord = 'id threshold lastSentAt createdAt'

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
  {
    method: 'GET',
    path: '/billing/alert-settings',
    document: 'query readAlertSettings { me { alertSettings { webhookUrl } } }',
    caller: 'manager',
    answer: ['me', 'alert_settings'],
  },
  {
    method: 'PUT',
    path: '/billing/alert-settings',
    document: `
      mutation updateAlertSettings($input: UpdateAlertSettingsInput!) {
        updateAlertSettings(input: $input) { alertSettings { webhookUrl } }
      }`,
    caller: 'manager',
    answer: ['update_alert_settings', 'alert_settings'],
  },
  {
    method: 'POST',
    path: '/billing/alert-settings/test',
    document: 'mutation testAlertWebhook { testAlertWebhook { callbackDelivery { id event url state } } }',
    caller: 'manager',
    answer: ['test_alert_webhook', 'callback_delivery'],
    status: 201,
  },
  {
    method: 'GET',
    path: '/billing/alert-deliveries',
    document:
      'query listAlertDeliveries { me { data: alertDeliveries { id event url state tryCount createdAt endedAt } } }',
    caller: 'manager',
  },
]
