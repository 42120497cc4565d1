import { graphql, type ResultOf } from '../../graph/documents.ts'

export const alertsDocument = graphql(`
  query Alerts {
    me { id balanceAlerts { id threshold isArmed lastSentAt createdAt } }
  }
`)

export type Alert = NonNullable<ResultOf<typeof alertsDocument>['me']['balanceAlerts']>[number]

/** What only members who handle money can read. */
export const webhookDocument = graphql(`query AlertWebhook { me { id alertSettings { webhookUrl } } }`)

export const deliveriesDocument = graphql(`
  query AlertDeliveries { me { id alertDeliveries { id event state tryCount createdAt tries { status error } } } }
`)

export type Delivery = NonNullable<ResultOf<typeof deliveriesDocument>['me']['alertDeliveries']>[number]

/** Mutations refetch the lists also while these are empty, and if their result has an ID only. */
export const alertsContext = { additionalTypenames: ['BalanceAlert', 'AlertSettings'] }

export const createAlertDocument = graphql(`
  mutation CreateAlert($input: CreateBalanceAlertInput!) {
    createBalanceAlert(input: $input) { balanceAlert { id } }
  }
`)

export const deleteAlertDocument = graphql(`
  mutation DeleteAlert($input: DeleteBalanceAlertInput!) {
    deleteBalanceAlert(input: $input) { deletedBalanceAlertId }
  }
`)

export const updateSettingsDocument = graphql(`
  mutation UpdateAlertSettings($input: UpdateAlertSettingsInput!) {
    updateAlertSettings(input: $input) { alertSettings { webhookUrl } }
  }
`)

export const testWebhookDocument = graphql(`
  mutation TestAlertWebhook { testAlertWebhook { callbackDelivery { id } } }
`)

export const deliveryDocument = graphql(`
  query AlertDelivery($id: ID!) { callbackDelivery(id: $id) { id state tries { status error } } }
`)
