import type { Route } from '../route.ts'

const record = `
  id provider label apiKeyPrefix baseUrl configJson alwaysUse disabled priority lastUsedAt lastError createdAt
  updatedAt`

/** Credentials of the account's own: any of its sessions and keys manages them (docs/behaviour.md, BYOK). */
export const byok: Route[] = [
  {
    method: 'GET',
    path: '/byok',
    document: `query listCredentials($provider: ByokProvider) { byokCredentials(provider: $provider) { ${record} } }`,
  },
  {
    method: 'POST',
    path: '/byok',
    document: `
      mutation createCredential($input: CreateByokCredentialInput!) {
        createByokCredential(input: $input) { ${record} }
      }`,
    status: 201,
  },
  {
    method: 'PUT',
    path: '/byok/{id}',
    document: `
      mutation updateCredential($id: ID!, $input: UpdateByokCredentialInput!) {
        updateByokCredential(id: $id, input: $input) { ${record} }
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
