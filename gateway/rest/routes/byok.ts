import type { Route } from './route.ts'

export const credentialRecord = `
  id provider label apiKeyPrefix baseUrl configJson alwaysUse disabled priority lastUsedAt lastError createdAt
  updatedAt`

/**
 * The account's own credentials. All sessions and API keys of the account can manage them (docs/behaviour.md, BYOK).
 */
export const byok: Route[] = [
  {
    method: 'GET',
    path: '/byok',
    document: `
      query listCredentials($provider: ByokProvider) {
        byokCredentials(filter: { provider: $provider }) { ${credentialRecord} }
      }`,
  },
  {
    method: 'POST',
    path: '/byok',
    document: `
      mutation createCredential($input: CreateByokCredentialInput!) {
        createByokCredential(input: $input) { credential { ${credentialRecord} } }
      }`,
    answer: ['create_byok_credential', 'credential'],
    status: 201,
  },
  {
    method: 'PUT',
    path: '/byok/{id}',
    document: `
      mutation updateCredential($input: UpdateByokCredentialInput!) {
        updateByokCredential(input: $input) { credential { ${credentialRecord} } }
      }`,
    answer: ['update_byok_credential', 'credential'],
    ignores: ['id', 'provider', 'api_key_prefix', 'last_used_at', 'last_error', 'created_at', 'updated_at'],
  },
  {
    method: 'DELETE',
    path: '/byok/{id}',
    document: `
      mutation deleteCredential($id: ID!) {
        deleteByokCredential(input: { id: $id }) { deletedCredentialId }
      }`,
    status: 204,
  },
]
