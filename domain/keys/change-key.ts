import { LockMode } from '@mikro-orm/postgresql'
import { isUuid } from '../../platform/is-uuid.ts'
import { ApiKeyEntity, type ApiKeyRow, KeyBudgetEntity } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../context.ts'
import { windowsName } from '../rates/rate-script.ts'
import { findKey, type KeyRecord } from './key-records.ts'
import { announceKeyChange } from './key-revision.ts'
import { checkKeySettings, type KeySettings } from './key-settings.ts'

/** What may be changed later: every setting, and the switch. */
export type KeyChanges = KeySettings & { disabled?: boolean | undefined }

/** Changes what is given and leaves the rest. Throws `validation_failed`, `key_not_found`. */
export async function updateKey(
  context: ManagementContext,
  { accountId, keyId, changes }: { accountId: string; keyId: string; changes: KeyChanges },
): Promise<KeyRecord> {
  checkKeySettings(changes)
  await changeKey(
    context,
    { accountId, keyId },
    key => apply(key, changes),
    em => changeBudget(em, { accountId, keyId, changes }),
  )
  return findKey({ em: context.em.fork() }, { accountId, keyId })
}

function apply(key: ApiKeyRow, changes: KeyChanges): void {
  if (changes.name !== undefined) key.name = changes.name
  if (changes.ipWhitelist !== undefined) key.ipWhitelist = [...changes.ipWhitelist]
  if (changes.rateLimitRpm !== undefined) key.rateLimitRpm = changes.rateLimitRpm
  if (changes.rateLimitTph !== undefined) key.rateLimitTph = changes.rateLimitTph
  if (changes.rateLimitTpd !== undefined) key.rateLimitTpd = changes.rateLimitTpd
  if (changes.disabled !== undefined) key.disabled = changes.disabled
  if (changes.expiresAt !== undefined) key.expiresAt = changes.expiresAt
}

/**
 * Revokes a key for ever: when it returns, no process starts an upstream call with it. Its rate-limit state is
 * cleared (contract: DELETE /api/v1/api-keys/{id}). Throws `key_not_found`.
 */
export async function revokeKey(
  context: ManagementContext,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<void> {
  await changeKey(context, { accountId, keyId }, key => {
    key.revokedAt = new Date(context.clock.now())
  })
  const rates = windowsName(context.config.redisPrefix, accountId, keyId)
  await context.redis.del(rates).catch(() => {}) // it lapses by itself; nobody counts on it any more
}

/**
 * Changes a key under its row's lock, raises its revision, and announces the change before it returns. `changeLast` is
 * for rows that payments wait for: it comes last in the transaction.
 * Throws `key_not_found` for an unknown or revoked key, and one of another account.
 */
export async function changeKey(
  context: ManagementContext,
  { accountId, keyId }: { accountId: string; keyId: string },
  change: (key: ApiKeyRow) => void,
  changeLast?: (em: ManagementContext['em']) => Promise<void>,
): Promise<void> {
  if (!isUuid(keyId)) throw new Problem('key_not_found')
  const revision = await context.em.transactional(async em => {
    const standing = { accountId, id: keyId, revokedAt: null }
    const key = await em.findOne(ApiKeyEntity, standing, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!key) throw new Problem('key_not_found')
    change(key)
    key.updatedAt = new Date(context.clock.now())
    key.revision += 1n
    await em.flush()
    await changeLast?.(em)
    return key.revision
  })
  await announceKeyChange(context, { accountId, keyId, revision })
}

/**
 * Changes the cap of a key inside the caller's transaction: its last statement, since settlements of the account wait for
 * the row. What the key has spent is counted for every interval as requests settle, so that another interval only says
 * which of the counters is held against the cap.
 */
export async function changeBudget(
  em: ManagementContext['em'],
  args: { accountId: string; keyId: string; changes: KeySettings },
): Promise<void> {
  const { accountId, keyId, changes } = args
  const { creditLimitNanos: limitNanos, creditResetInterval: resetInterval } = changes
  if (limitNanos === undefined && resetInterval === undefined) return
  await em.nativeUpdate(
    KeyBudgetEntity,
    { accountId, keyId },
    {
      ...(limitNanos !== undefined && { limitNanos }),
      ...(resetInterval !== undefined && { resetInterval }),
    },
  )
}
