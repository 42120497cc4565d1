import type { Route } from './route.ts'

const keyRecord = `
  id name keyPrefix fullKey ipWhitelist rateLimitRpm rateLimitTph rateLimitTpd isProvisioning disabled createdBy
  createdAt creditLimit creditResetInterval creditUsed creditPeriodStart expiresAt`

/** API keys: a session alone manages them (docs/behaviour.md, Keys and rate limits). */
export const apiKeys: Route[] = [
  {
    method: 'GET',
    path: '/api-keys',
    document: `query listKeys { me { apiKeys { ${keyRecord} } } }`,
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
        updateApiKey(id: $id, input: $input) { ${keyRecord} }
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

const credentialRecord = `
  id provider label apiKeyPrefix baseUrl configJson alwaysUse disabled priority lastUsedAt lastError createdAt
  updatedAt`

/** Credentials of the account's own: any of its sessions and keys manages them (docs/behaviour.md, BYOK). */
export const byok: Route[] = [
  {
    method: 'GET',
    path: '/byok',
    document: `query listCredentials($provider: ByokProvider) { byokCredentials(provider: $provider) { ${credentialRecord} } }`,
  },
  {
    method: 'POST',
    path: '/byok',
    document: `
      mutation createCredential($input: CreateByokCredentialInput!) {
        createByokCredential(input: $input) { ${credentialRecord} }
      }`,
    status: 201,
  },
  {
    method: 'PUT',
    path: '/byok/{id}',
    document: `
      mutation updateCredential($id: ID!, $input: UpdateByokCredentialInput!) {
        updateByokCredential(id: $id, input: $input) { ${credentialRecord} }
      }`,
    ignores: ['id', 'provider', 'api_key_prefix', 'last_used_at', 'last_error', 'created_at', 'updated_at'],
  },
  {
    method: 'DELETE',
    path: '/byok/{id}',
    document: 'mutation deleteCredential($id: ID!) { deleteByokCredential(id: $id) }',
    status: 204,
  },
]
