import { LockMode } from '@mikro-orm/postgresql'
import { isUuid } from '../../platform/checks.ts'
import { ProviderCredentialEntity, type ProviderCredentialRow } from '../../schema/entities/byok.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../context.ts'
import { announceKeyChanges } from '../keys/key-revision.ts'
import { type CredentialRecord, findCredential } from './credential-records.ts'
import { type CredentialSettings, checkSettings, clampPriority } from './credential-settings.ts'
import { mergeCredential } from './merge-credential.ts'
import { openCredential, sealApiKey, sealConfig } from './seal-credential.ts'
import { readVendorCredential } from './vendor-credential.ts'

/**
 * Changes the given settings of a credential and keeps the others; `***` keeps a secret. When this resolves, no new
 * inference call uses the earlier settings. Throws `validation_failed`, `credential_not_found`.
 */
export async function updateCredential(
  context: ManagementContext,
  { accountId, id, changes }: { accountId: string; id: string; changes: CredentialSettings },
): Promise<CredentialRecord> {
  if (!isUuid(id)) throw new Problem('credential_not_found')
  checkSettings(changes, context.config)
  await changeCredentials(context, { accountId }, async em => {
    const row = await em.findOne(
      ProviderCredentialEntity,
      { accountId, id },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    )
    if (!row) throw new Problem('credential_not_found')
    applySettings(context, row, changes)
    applySecrets(context, row, changes)
  })
  return findCredential({ em: context.em.fork() }, { accountId, id })
}

/** Deletes a credential. When this resolves, no new inference call uses it. Throws `credential_not_found`. */
export async function deleteCredential(
  context: ManagementContext,
  { accountId, id }: { accountId: string; id: string },
): Promise<void> {
  if (!isUuid(id)) throw new Problem('credential_not_found')
  await changeCredentials(context, { accountId }, async em => {
    const deleted = await em.nativeDelete(ProviderCredentialEntity, { accountId, id })
    if (deleted === 0) throw new Problem('credential_not_found')
  })
}

/**
 * Runs a change of an account's credentials in one transaction, and raises the revision of the credentials and of each
 * key of the account, whose records contain it. When this resolves, every process uses the new credentials.
 */
export async function changeCredentials<Result>(
  context: ManagementContext,
  { accountId }: { accountId: string },
  change: (em: ManagementContext['em']) => Promise<Result>,
): Promise<Result> {
  const { result, keys } = await context.em.transactional(async transaction => {
    await lockAccount(transaction, accountId)
    const changed = await change(transaction)
    await transaction.flush()
    return { result: changed, keys: await raiseRevisions(transaction, accountId) }
  })
  await announceKeyChanges(context, { accountId, keys })
  return result
}

/**
 * Locks the account, so that changes run one at a time. Creating a key locks the account too, so that no new key misses
 * a revision.
 */
async function lockAccount(em: ManagementContext['em'], accountId: string): Promise<void> {
  await em.execute('select 1 from accounts where id = ? for update', [accountId])
}

async function raiseRevisions(
  em: ManagementContext['em'],
  accountId: string,
): Promise<{ keyId: string; revision: bigint }[]> {
  await em.execute('update accounts set byok_revision = byok_revision + 1 where id = ?', [accountId], 'run')
  const keys = await em.execute<{ keyId: string; revision: string }[]>(
    'select key_id as "keyId", revision from raise_revisions(?)',
    [accountId],
  )
  return keys.map(({ keyId, revision }) => ({ keyId, revision: BigInt(revision) }))
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

/** Applies the changes of secrets. Decrypts them only if they, or the addresses to which they are sent, may change. */
function applySecrets(
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
  // Encrypted again even if unchanged: an earlier version may have stored values in the clear that now count as
  // secrets.
  Object.assign(row, sealConfig(context, row, after.config))
}
