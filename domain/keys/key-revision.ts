import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisClient } from '../../platform/redis/open-redis.ts'
import { runScript, script } from '../../platform/redis/open-redis.ts'
import type { Context } from '../context.ts'
import { revisionName } from '../rates/rate-script.ts'

/** Maximum age of a cached key, in milliseconds. An older copy is read from Postgres again. */
export const maxKeyAgeMs = 800

/**
 * The maximum age, in milliseconds, of a copy that a request uses if it then compares the copy's revision with Redis.
 */
export const maxComparedKeyAgeMs = 5_000

/**
 * The time for which an admission is valid, in milliseconds. An upstream call that starts later checks its key again.
 */
export const admissionValidMs = 100

/**
 * Maximum time between the check of a key and the first byte of the upstream call, in milliseconds. If connecting takes
 * longer, the key is checked again. So a change is in effect everywhere after this time.
 */
export const callStartsWithinMs = 250

/** The time for which Redis keeps a revision: longer than any process uses a cached key. */
const revisionTtlSeconds = 86_400

/** Maximum number of keys whose revisions one call of the script raises. */
const raisedAtOnce = 500

/**
 * Announces the change of a key to every edge process. Call it after the transaction has committed. When it resolves,
 * no process uses the old state or starts an upstream call with it: either Redis has the new revision, which every
 * request compares with its copy, and earlier admissions have expired; or this process does not reach Redis, and every
 * copy has reached its maximum age. Other processes may still reach Redis, which then confirms an old copy.
 */
export async function announceKeyChange(
  context: Pick<Context, 'config' | 'redis'>,
  key: { accountId: string; keyId: string; revision: bigint },
): Promise<void> {
  await announceKeyChanges(context, { accountId: key.accountId, keys: [key] })
}

/** Announces the changes of many keys of an account, in the time of one. */
export async function announceKeyChanges(
  { config, redis }: Pick<Context, 'config' | 'redis'>,
  { accountId, keys }: { accountId: string; keys: readonly { keyId: string; revision: bigint }[] },
): Promise<void> {
  if (keys.length === 0) return
  const isRaised = await publishRevisions(
    redis,
    keys.map(({ keyId, revision }) => ({
      name: revisionName(config.redisPrefix, accountId, keyId),
      revision,
    })),
  )
  const copiesLastMs = config.redisUrl === 'none' ? maxKeyAgeMs : maxComparedKeyAgeMs
  await sleep((isRaised ? 0 : copiesLastMs) + callStartsWithinMs + 50)
}

/** Sets the revision in Redis unless Redis has a higher one. Resolves to false if Redis did not respond. */
export async function publishRevision(redis: RedisClient, name: string, revision: bigint): Promise<boolean> {
  return publishRevisions(redis, [{ name, revision }])
}

/** Publishes revisions in Redis. The names share a hash tag, because one script accesses them. */
async function publishRevisions(
  redis: RedisClient,
  revisions: readonly { name: string; revision: bigint }[],
): Promise<boolean> {
  try {
    for (let first = 0; first < revisions.length; first += raisedAtOnce) {
      const some = revisions.slice(first, first + raisedAtOnce)
      const names = some.map(({ name }) => name)
      await runScript(redis, raise, names, [
        revisionTtlSeconds,
        ...some.map(({ revision }) => String(revision)),
      ])
    }
    return true
  } catch {
    return false
  }
}

const raise = script(`
for i, name in ipairs(KEYS) do
  local known = redis.call('GET', name)
  if not known or tonumber(known) < tonumber(ARGV[i + 1]) then
    redis.call('SET', name, ARGV[i + 1], 'EX', ARGV[1])
  end
end
return 1`)
