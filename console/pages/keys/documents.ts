import { graphql, type ResultOf } from '../../graph/documents.ts'

/** The fields of a key that the page shows. */
export const keyFields = graphql(`
  fragment KeyFields on ApiKey {
    id
    name
    keyPrefix
    isProvisioning
    disabled
    createdAt
    expiresAt
    creditLimit
    creditResetInterval
    creditUsed
    rateLimitRpm
    rateLimitTph
    rateLimitTpd
    ipWhitelist
    allowedModels
  }
`)

export type Key = ResultOf<typeof keyFields>

/** Mutations of keys refetch the list also while it is empty, when its result has no key. */
export const keysContext = { additionalTypenames: ['ApiKey'] }

export const keysDocument = graphql(
  `
    query Keys($first: Int, $after: String, $last: Int, $before: String) {
      apiKeys(first: $first, after: $after, last: $last, before: $before) {
        nodes { ...KeyFields }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  `,
  [keyFields],
)

export const keyDocument = graphql(
  `
    query Key($id: ID!) {
      apiKey(id: $id) { ...KeyFields usage(period: MONTH) { requests failedRequests spent } }
    }
  `,
  [keyFields],
)

export const createKeyDocument = graphql(
  `
    mutation CreateKey($input: CreateApiKeyInput!) {
      createApiKey(input: $input) { key apiKey { ...KeyFields } }
    }
  `,
  [keyFields],
)

export const updateKeyDocument = graphql(
  `
    mutation UpdateKey($input: UpdateApiKeyInput!) {
      updateApiKey(input: $input) { apiKey { ...KeyFields } }
    }
  `,
  [keyFields],
)

export const revokeKeyDocument = graphql(`
  mutation RevokeKey($input: RevokeApiKeyInput!) { revokeApiKey(input: $input) { revokedApiKeyId } }
`)
