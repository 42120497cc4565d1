import { graphql, type ResultOf } from '../../graph/documents.ts'
import { deliveryFields } from '../../tasks/delivery-documents.ts'

/** The secrets without their text, which the page reads only to show it. */
export const secretsDocument = graphql(`
  query CallbackSecrets { callbackSecrets { createdAt endsAt } }
`)

export const secretTextDocument = graphql(`
  query CallbackSecretText { callbackSecrets { secret endsAt } }
`)

export const rotateDocument = graphql(`
  mutation RotateCallbackSecret($input: RotateCallbackSecretInput!) {
    rotateCallbackSecret(input: $input) { callbackSecrets { secret createdAt endsAt } }
  }
`)

export const deliveriesDocument = graphql(`
  query Deliveries(
    $first: Int, $after: String, $last: Int, $before: String, $filter: CallbackDeliveryFilterInput
  ) {
    callbackDeliveries(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
      nodes { id event url state tryCount nextTryAt createdAt }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`)

export type DeliveryRow = NonNullable<
  ResultOf<typeof deliveriesDocument>['callbackDeliveries']
>['nodes'][number]

export const deliveryDocument = graphql(
  `
    query Delivery($id: ID!) { callbackDelivery(id: $id) { ...DeliveryFields } }
  `,
  [deliveryFields],
)
