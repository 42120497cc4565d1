import { isRecord } from '../../../platform/is-record.ts'
import type { Target } from '../../chat-adapter.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'

/** A service account, as far as a token of it needs. */
export interface ServiceAccount {
  clientEmail: string
  /** PEM. */
  privateKey: string
  privateKeyId: string | undefined
  projectId: string
  tokenUri: string
}

/** The service account that a credential carries, and where its models run; undefined for any other credential. */
export interface VertexCredential {
  account: ServiceAccount
  region: string
}

/** Reads `config` of a credential. Throws UpstreamFailure `auth` where it is one of a service account, but not whole. */
export function readVertexCredential({ config }: Target): VertexCredential | undefined {
  const json = config?.service_account
  if (json === undefined || json === null) return undefined
  const fields = isRecord(json) ? json : {}
  const read = (name: string): string => {
    const value = fields[name]
    if (typeof value === 'string' && value !== '') return value
    throw new UpstreamFailure('auth', { message: `the service account has no ${name}` })
  }
  const region = config?.region
  if (typeof region !== 'string' || !/^[a-z0-9-]{2,40}$/.test(region)) {
    throw new UpstreamFailure('auth', { message: 'the credential of a service account needs a region' })
  }
  return {
    region,
    account: {
      clientEmail: read('client_email'),
      privateKey: read('private_key'),
      privateKeyId: typeof fields.private_key_id === 'string' ? fields.private_key_id : undefined,
      projectId: read('project_id'),
      tokenUri: typeof fields.token_uri === 'string' ? fields.token_uri : defaultTokenUri,
    },
  }
}

/** Where tokens are had, unless a simulator gives them. */
export const defaultTokenUri = 'https://oauth2.googleapis.com/token'
