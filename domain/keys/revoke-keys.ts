import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import { windowsName } from '../rates/rate-script.ts'
import { announceKeyChanges } from './key-revision.ts'

/** A key that was revoked, with its new revision. */
interface RevokedKey {
  keyId: string
  revision: bigint
}

/**
 * Revokes all keys of an account in a transaction, ordinary and provisioning keys alike. Call `announceRevokedKeys` after
 * the commit.
 */
export async function revokeKeysOf(
  sql: SqlTransaction,
  { accountId, now }: { accountId: string; now: Date },
): Promise<RevokedKey[]> {
  return sql<RevokedKey[]>`
    update api_keys set revoked_at = ${now}, updated_at = ${now}, revision = revision + 1
    where account_id = ${accountId} and id in (
      select id from api_keys where account_id = ${accountId} and revoked_at is null order by id for no key update)
    returning id as "keyId", revision`
}

/** Clears the rate limits of revoked keys. When this resolves, no process starts an upstream call with one of them. */
export async function announceRevokedKeys(
  context: Pick<Context, 'config' | 'redis'>,
  { accountId, keys }: { accountId: string; keys: readonly RevokedKey[] },
): Promise<void> {
  await announceKeyChanges(context, { accountId, keys })
  const { redis, config } = context
  const names = keys.map(({ keyId }) => windowsName(config.redisPrefix, accountId, keyId))
  if (names.length > 0) await redis.del(names).catch(() => {}) // without Redis they expire by themselves
}
