import { isUuid } from '../../platform/checks.ts'
import {
  type ByokProvider,
  ProviderCredentialEntity,
  type ProviderCredentialRow,
} from '../../schema/entities/byok.ts'
import { Problem } from '../../schema/errors.ts'
import type { JsonObject } from '../../schema/json.ts'
import type { ManagementContext } from '../context.ts'
import { splitConfig } from './split-config.ts'

/** A credential for lists. It contains no secret, sealed or not. */
export interface CredentialRecord {
  id: string
  provider: ByokProvider
  label: string
  /** The masked API key. Empty if the configuration contains the secrets. */
  apiKeyPrefix: string
  baseUrl: string | null
  /**
   * The configuration. Every value that may be a secret is `***`, also in rows of earlier versions, which recognized
   * fewer secrets.
   */
  config: JsonObject | null
  alwaysUse: boolean
  disabled: boolean
  priority: number
  lastUsedAt: Date | null
  lastError: string | null
  createdAt: Date
  updatedAt: Date
}

type Records = Pick<ManagementContext, 'em'>

/** Finds credentials of an account by their IDs, in any order. Unknown IDs are skipped. */
export async function findCredentials(
  { em }: Records,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<CredentialRecord[]> {
  const known = ids.filter(isUuid)
  if (known.length === 0) return []
  const rows = await em.find(ProviderCredentialEntity, { accountId, id: { $in: known } })
  return rows.map(credentialRecordOf)
}

/**
 * Finds one credential of an account. Throws `credential_not_found` if it does not exist or belongs to another account.
 */
export async function findCredential(
  context: Records,
  { accountId, id }: { accountId: string; id: string },
): Promise<CredentialRecord> {
  const [credential] = await findCredentials(context, { accountId, ids: [id] })
  if (credential) return credential
  throw new Problem('credential_not_found')
}

/** Lists the credentials of an account, newest first. With `provider`, lists only the credentials for this vendor. */
export async function listCredentials(
  { em }: Pick<ManagementContext, 'em'>,
  { accountId, provider }: { accountId: string; provider?: ByokProvider | undefined },
): Promise<CredentialRecord[]> {
  const rows = await em.find(
    ProviderCredentialEntity,
    { accountId, ...(provider && { provider }) },
    { orderBy: { createdAt: 'desc', id: 'desc' } },
  )
  return rows.map(credentialRecordOf)
}

function credentialRecordOf(row: ProviderCredentialRow): CredentialRecord {
  const { id, provider, label, apiKeyPrefix, alwaysUse, disabled, priority, createdAt, updatedAt } = row
  return {
    id,
    provider,
    label,
    apiKeyPrefix,
    baseUrl: row.baseUrl ?? null,
    config: row.config ? splitConfig(row.config).masked : null,
    alwaysUse,
    disabled,
    priority,
    lastUsedAt: row.lastUsedAt ?? null,
    lastError: row.lastError ?? null,
    createdAt,
    updatedAt,
  }
}
