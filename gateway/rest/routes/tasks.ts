import type { Route } from './route.ts'

const delivery = 'id event url state tryCount nextTryAt createdAt endedAt'
export const deliveryWithTries = `${delivery} tries { number startedAt durationMs status error answer }`

export const taskRecord = `
  id kind status state progress model: modelName api_key_id: apiKey { id } price held cost
  results { url contentType bytes expiresAt } error { code message } callbackUrl createdAt submittedAt updatedAt
  cancelRequestedAt cancelRefusedAt finishedAt`

/** Tasks and their callbacks (docs/behaviour.md, Management API). */
export const tasks: Route[] = [
  {
    method: 'GET',
    path: '/tasks',
    document: `
      query listTasks(
        $kind: [TaskKind!], $status: [TaskStatus!], $model: [String!], $apiKeyId: [ID!]
        $since: DateTime, $until: DateTime, $direction: OrderDirection! = DESC, $first: Int, $after: String
      ) {
        tasks(
          filter: {
            kinds: $kind, statuses: $status, models: $model, apiKeyIds: $apiKeyId, since: $since, until: $until
          }
          orderBy: { field: CREATED_AT, direction: $direction }, first: $first, after: $after
        ) {
          data: nodes { ${taskRecord} }
          pageInfo { hasNextPage endCursor }
        }
      }`,
  },
  {
    method: 'GET',
    path: '/tasks/{id}',
    document: `query readTask($id: ID!) { task(id: $id) { ${taskRecord} callbackDelivery { ${deliveryWithTries} } } }`,
  },
  {
    method: 'POST',
    path: '/tasks/{id}/cancel',
    document: `mutation cancelTask($id: ID!) { cancelTask(input: { id: $id }) { task { ${taskRecord} } } }`,
    answer: ['cancel_task', 'task'],
  },
  {
    method: 'GET',
    path: '/callbacks',
    document: `
      query listDeliveries($state: [CallbackState!], $first: Int, $after: String) {
        callbackDeliveries(filter: { states: $state }, first: $first, after: $after) {
          data: nodes { ${delivery} }
          pageInfo { hasNextPage endCursor }
        }
      }`,
    caller: 'manager',
  },
  {
    method: 'GET',
    path: '/callbacks/{id}',
    document: `query readDelivery($id: ID!) { callbackDelivery(id: $id) { ${deliveryWithTries} } }`,
  },
  {
    method: 'POST',
    path: '/callbacks/{id}/send',
    document: `
      mutation sendAgain($id: ID!) { sendCallbackAgain(input: { id: $id }) { callbackDelivery { ${delivery} } } }`,
    answer: ['send_callback_again', 'callback_delivery'],
  },
  {
    method: 'GET',
    path: '/callback-secrets',
    document: 'query readSecrets { data: callbackSecrets { secret createdAt endsAt } }',
    caller: 'manager',
    answer: [],
  },
  {
    method: 'POST',
    path: '/callback-secrets',
    document: `
      mutation rotateSecret($input: RotateCallbackSecretInput!) {
        rotateCallbackSecret(input: $input) { data: callbackSecrets { secret createdAt endsAt } }
      }`,
    caller: 'manager',
    status: 201,
  },
]
