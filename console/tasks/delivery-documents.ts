import { graphql, type ResultOf } from '../graph/documents.ts'

/** Interval at which a pending delivery is read, in milliseconds. The graph has no subscription for deliveries. */
export const deliveryIntervalMs = 3_000

/** A delivery with its attempts. */
export const deliveryFields = graphql(`
  fragment DeliveryFields on CallbackDelivery {
    id
    event
    url
    state
    tryCount
    nextTryAt
    createdAt
    endedAt
    tries { number startedAt durationMs status error answer }
  }
`)

export type Delivery = ResultOf<typeof deliveryFields>

export const sendAgainDocument = graphql(
  `
    mutation SendCallbackAgain($input: SendCallbackAgainInput!) {
      sendCallbackAgain(input: $input) { callbackDelivery { ...DeliveryFields } }
    }
  `,
  [deliveryFields],
)
