import type { Route } from './route.ts'

const keyFields = `
  ipWhitelist allowedModels allowedVendors rateLimitRpm rateLimitTph rateLimitTpd
  isProvisioning scopes isPlayground disabled
  created_by: createdBy { id } createdAt creditLimit creditResetInterval creditUsed creditPeriodStart expiresAt
  previousKeyEndsAt`

const keyRecord = `id name keyPrefix fullKey ${keyFields}`

/** The fields of a key without its full text. */
export const publicKeyRecord = `id name keyPrefix ${keyFields}`

/** API keys (docs/behaviour.md, Keys and rate limits). */
export const apiKeys: Route[] = [
  {
    method: 'GET',
    path: '/api-keys',
    document: `query listKeys { me { apiKeys { ${keyRecord} } } }`,
    caller: 'keys',
    answer: ['me', 'api_keys'],
    omitNulls: ['full_key'],
  },
  {
    method: 'POST',
    path: '/api-keys',
    document: `
      mutation createKey($input: CreateApiKeyInput!) {
        createApiKey(input: $input) { key apiKey { id name createdAt } }
      }`,
    record: 'NewApiKey',
    pick: ['api_key.id', 'api_key.name', 'key', 'api_key.created_at'],
    caller: 'keys',
    status: 201,
  },
  {
    method: 'POST',
    path: '/api-keys/playground',
    document: `
      mutation createPlaygroundKey { createPlaygroundKey { apiKey { id name ${keyFields} } } }`,
    answer: ['create_playground_key', 'api_key'],
    caller: 'keys',
    status: 201,
  },
  {
    method: 'PUT',
    path: '/api-keys/{id}',
    document: `
      mutation updateKey($input: UpdateApiKeyInput!) {
        updateApiKey(input: $input) { apiKey { ${keyRecord} } }
      }`,
    answer: ['update_api_key', 'api_key'],
    caller: 'keys',
    omitNulls: ['full_key'],
  },
  {
    method: 'POST',
    path: '/api-keys/{id}/roll',
    document: `
      mutation rollKey($input: RollApiKeyInput!) {
        rollApiKey(input: $input) { key apiKey { id name createdAt previousKeyEndsAt } }
      }`,
    record: 'RolledApiKey',
    pick: ['api_key.id', 'api_key.name', 'key', 'api_key.created_at', 'api_key.previous_key_ends_at'],
    caller: 'keys',
  },
  {
    method: 'DELETE',
    path: '/api-keys/{id}',
    document: 'mutation revokeKey($id: ID!) { revokeApiKey(input: { id: $id }) { revokedApiKeyId } }',
    caller: 'keys',
    status: 204,
  },
]
