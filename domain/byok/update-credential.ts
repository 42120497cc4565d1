import { LockMode } from '@mikro-orm/postgresql'
import { isUuid } from '../../platform/is-uuid.ts'
import {
  ProviderCredentialEntity,
  type ProviderCredentialRow,
} from '../../schema/entities/provider-credentials.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../management-context.ts'
import { changeCredentials } from './change-credentials.ts'
import { checkSettings, clampPriority } from './checks/check-settings.ts'
import type { CredentialSettings } from './credential-settings.ts'
import { mergeCredential } from './merge-credential.ts'
import type { CredentialRecord } from './records/credential-record.ts'
import { findCredential } from './records/find-credentials.ts'
import { openCredential, sealApiKey, sealConfig } from './sealing/seal-credential.ts'
import { readVendorCredential } from './vendors/vendor-credential.ts'

/**
 * Changes what is given and leaves the rest; `***` keeps a secret. When it returns, no inference call that begins
 * uses the credential as it was. Throws `validation_failed`, `credential_not_found`.
 */
export async function updateCredential(
  context: ManagementContext,
  { accountId, id, changes }: { accountId: string; id: string; changes: CredentialSettings },
): Promise<CredentialRecord> {
  if (!isUuid(id)) throw new Problem('credential_not_found')
  checkSettings(changes, context.config)
  await changeCredentials(context, { accountId }, async em => {
    const place = { accountId, id }
    const row = await em.findOne(ProviderCredentialEntity, place, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!row) throw new Problem('credential_not_found')
    applySettings(context, row, changes)
    applyParts(context, row, changes)
  })
  return findCredential({ em: context.em.fork() }, { accountId, id })
}

function applySettings(
  context: ManagementContext,
  row: ProviderCredentialRow,
  changes: CredentialSettings,
): void {
  row.updatedAt = new Date(context.clock.now())
  if (changes.label !== undefined) row.label = changes.label
  if (changes.alwaysUse !== undefined) row.alwaysUse = changes.alwaysUse
  if (changes.disabled !== undefined) row.disabled = changes.disabled
  if (changes.priority !== undefined) row.priority = clampPriority(changes.priority)
}

/** Opens the secrets only where what they belong to changes. */
function applyParts(
  context: ManagementContext,
  row: ProviderCredentialRow,
  changes: CredentialSettings,
): void {
  const { apiKey, baseUrl, config } = changes
  if (apiKey === undefined && baseUrl === undefined && config === undefined) return
  const before = { ...openCredential(context, row), baseUrl: row.baseUrl ?? null }
  const after = mergeCredential(changes, before)
  readVendorCredential(row.provider, after, context.config)
  row.baseUrl = after.baseUrl
  if (after.apiKey !== before.apiKey) Object.assign(row, sealApiKey(context, row, after.apiKey))
  // Where it stays, too: what was kept open by an older rule is sealed by today's.
  Object.assign(row, sealConfig(context, row, after.config))
}
