import type { Route } from '../route.ts'

const record = `
  id name keyPrefix fullKey ipWhitelist rateLimitRpm rateLimitTph rateLimitTpd isProvisioning disabled createdBy
  createdAt creditLimit creditResetInterval creditUsed creditPeriodStart expiresAt`

/** API keys: a session alone manages them (docs/behaviour.md, Keys and rate limits). */
export const apiKeys: Route[] = [
  {
    method: 'GET',
    path: '/api-keys',
    document: `query listKeys { me { apiKeys { ${record} } } }`,
    credential: 'session',
    answer: ['me', 'api_keys'],
    omitNulls: ['full_key'],
  },
  {
    method: 'POST',
    path: '/api-keys',
    document: `mutation createKey($input: CreateApiKeyInput!) { createApiKey(input: $input) { id name key createdAt } }`,
    credential: 'session',
    status: 201,
  },
  {
    method: 'PUT',
    path: '/api-keys/{id}',
    document: `
      mutation updateKey($id: ID!, $input: UpdateApiKeyInput!) {
        updateApiKey(id: $id, input: $input) { ${record} }
      }`,
    credential: 'session',
    omitNulls: ['full_key'],
  },
  {
    method: 'DELETE',
    path: '/api-keys/{id}',
    document: 'mutation revokeKey($id: ID!) { revokeApiKey(id: $id) }',
    credential: 'session',
    status: 204,
  },
]
