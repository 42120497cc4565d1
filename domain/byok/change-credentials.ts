import { LockMode } from '@mikro-orm/postgresql'
import { isUuid } from '../../platform/is-uuid.ts'
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

/** Removes a credential: the next inference call skips it (contract: BYOK). Throws `credential_not_found`. */
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
 * Changes credentials of an account in one transaction, and spreads the change before it returns: the account's
 * credentials get a new revision, which each of its keys carries, so the keys do too. Afterwards the next inference
 * call of every process knows the credentials as they are now.
 */
export async function changeCredentials<Result>(
  context: ManagementContext,
  { accountId }: { accountId: string },
  change: (em: ManagementContext['em']) => Promise<Result>,
): Promise<Result> {
  const { result, keys } = await context.em.transactional(async em => {
    await lockAccount(em, accountId)
    const result = await change(em)
    await em.flush()
    return { result, keys: await raiseRevisions(em, accountId) }
  })
  await announceKeyChanges(context, { accountId, keys })
  return result
}

/** One change at a time. A key that is being created waits as well, or is seen: none keeps the old revision. */
async function lockAccount(em: ManagementContext['em'], accountId: string): Promise<void> {
  await em.execute('select 1 from accounts where id = ? for update', [accountId])
}

async function raiseRevisions(
  em: ManagementContext['em'],
  accountId: string,
): Promise<{ keyId: string; revision: bigint }[]> {
  await em.execute('update accounts set byok_revision = byok_revision + 1 where id = ?', [accountId], 'run')
  const rows = await em.execute<{ id: string; revision: string }[]>(
    'update api_keys set revision = revision + 1 where account_id = ? and revoked_at is null returning id, revision',
    [accountId],
  )
  return rows.map(({ id, revision }) => ({ keyId: id, revision: BigInt(revision) }))
}
