import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import { windowsName } from '../rates/rate-script.ts'
import { announceKeyChanges } from './key-revision.ts'

/** A key that was revoked, with its new revision. */
interface RevokedKey {
  accountId: string
  keyId: string
  revision: bigint
}

/**
 * Revokes keys that a user may have disclosed, in a transaction: in all of the user's accounts the keys that the user
 * created, and every key of accounts without another member. Ordinary and provisioning keys alike; keys of the playground
 * have no text that could be disclosed. Call `announceRevokedKeys` after the commit.
 */
export async function revokeKeysOf(
  sql: SqlTransaction,
  { userId, now }: { userId: string; now: Date },
): Promise<RevokedKey[]> {
  return sql<RevokedKey[]>`
    update api_keys set revoked_at = ${now}, updated_at = ${now}, revision = revision + 1
    where (account_id, id) in (
      select k.account_id, k.id from memberships m join api_keys k on k.account_id = m.account_id
      where m.user_id = ${userId} and k.revoked_at is null and not k.is_playground and (k.created_by = ${userId} or not exists (
        select from memberships o where o.account_id = m.account_id and o.user_id <> m.user_id
      ))
      order by k.account_id, k.id for no key update of k)
    returning account_id as "accountId", id as "keyId", revision`
}

/** Clears the rate limits of revoked keys. When this resolves, no process starts an upstream call with one of them. */
export async function announceRevokedKeys(
  context: Pick<Context, 'config' | 'redis'>,
  { keys }: { keys: readonly RevokedKey[] },
): Promise<void> {
  const { redis, config } = context
  const byAccount = Object.groupBy(keys, ({ accountId }) => accountId)
  for (const [accountId, own = []] of Object.entries(byAccount)) {
    await announceKeyChanges(context, { accountId, keys: own })
    const names = own.map(({ keyId }) => windowsName(config.redisPrefix, accountId, keyId))
    await redis.del(names).catch(() => {}) // without Redis they expire by themselves
  }
}
