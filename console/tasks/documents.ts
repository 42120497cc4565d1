import { graphql, type ResultOf } from '../graph/documents.ts'

/** The fields of a task that lists and cards show. */
export const taskFields = graphql(`
  fragment TaskFields on Task {
    id
    kind
    status
    state
    progress
    modelName
    price
    cost
    results { url contentType bytes expiresAt }
    error { code message }
    createdAt
    updatedAt
    cancelRequestedAt
    cancelRefusedAt
    finishedAt
    apiKey { id name }
  }
`)

export type Task = ResultOf<typeof taskFields>

export const tasksDocument = graphql(
  `
    query Tasks($first: Int, $after: String, $last: Int, $before: String, $filter: TaskFilterInput) {
      tasks(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
        nodes { ...TaskFields }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  `,
  [taskFields],
)

export const tasksUpdatedDocument = graphql(
  `
    subscription TasksUpdated($filter: TaskFilterInput) { tasksUpdated(filter: $filter) { ...TaskFields } }
  `,
  [taskFields],
)

export const cancelTaskDocument = graphql(
  `
    mutation CancelTask($input: CancelTaskInput!) { cancelTask(input: $input) { task { ...TaskFields } } }
  `,
  [taskFields],
)
