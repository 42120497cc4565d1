import { graphql, type ResultOf } from '../../graph/documents.ts'
import { deliveryFields } from '../../tasks/delivery-documents.ts'
import { taskFields } from '../../tasks/documents.ts'

/** The models of recent tasks. */
export const filtersDocument = graphql(`
  query TaskFilters { tasks(first: 100) { nodes { id modelName } } }
`)

export const taskDocument = graphql(
  `
    query Task($id: ID!) {
      task(id: $id) {
        ...TaskFields
        held
        callbackUrl
        submittedAt
        request { id }
        callbackDelivery { ...DeliveryFields }
      }
    }
  `,
  [taskFields, deliveryFields],
)

export type TaskDetail = NonNullable<ResultOf<typeof taskDocument>['task']>

/** Sends the task after each change. Then its details are read again. */
export const taskUpdatedDocument = graphql(`
  subscription TaskUpdated($id: ID!) { taskUpdated(id: $id) { id state updatedAt progress } }
`)
