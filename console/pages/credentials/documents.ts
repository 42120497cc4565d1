import { graphql, type ResultOf } from '../../graph/documents.ts'

const credentialFields = graphql(`
  fragment CredentialFields on ByokCredential {
    id
    provider
    label
    apiKeyPrefix
    baseUrl
    configJson
    alwaysUse
    disabled
    priority
    lastUsedAt
    lastError
    createdAt
  }
`)

export type Credential = ResultOf<typeof credentialFields>
export type Provider = Credential['provider']

/** Mutations of credentials refetch the list also while it is empty, and if their result has an ID only. */
export const credentialsContext = { additionalTypenames: ['ByokCredential'] }

export const credentialsDocument = graphql(`query Credentials { byokCredentials { ...CredentialFields } }`, [
  credentialFields,
])

export const createCredentialDocument = graphql(`
  mutation CreateCredential($input: CreateByokCredentialInput!) {
    createByokCredential(input: $input) { credential { id } }
  }
`)

export const updateCredentialDocument = graphql(`
  mutation UpdateCredential($input: UpdateByokCredentialInput!) {
    updateByokCredential(input: $input) { credential { id } }
  }
`)

export const deleteCredentialDocument = graphql(`
  mutation DeleteCredential($input: DeleteByokCredentialInput!) {
    deleteByokCredential(input: $input) { deletedCredentialId }
  }
`)

export const testCredentialDocument = graphql(`
  mutation TestCredential($input: TestByokCredentialInput!) {
    testByokCredential(input: $input) { test { ok status message latencyMs } }
  }
`)
