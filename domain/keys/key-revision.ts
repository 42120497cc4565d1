import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisClient } from '../../platform/redis/open-redis.ts'
import { runScript, script } from '../../platform/redis/open-redis.ts'
import type { Context } from '../context.ts'
import { revisionName } from '../rates/rate-script.ts'

/** The oldest copy of a key, in milliseconds, that a process uses without reading it from Postgres again. */
export const maxKeyAgeMs = 800

/**
 * How long an admission is valid, in milliseconds: an upstream call that starts later checks its key again.
 */
export const admissionValidMs = 100

/**
 * The first byte of an upstream call is sent at most this long, in milliseconds, after its key was checked;
 * where connecting takes longer, the key is checked again. So a change is confirmed once this time has
 * passed.
 */
export const callStartsWithinMs = 250

/** How long Redis keeps a revision: longer than any process uses a copy of the key. */
const revisionTtlSeconds = 86_400

/** Keys whose revisions are raised by one call of the script. */
const raisedAtOnce = 500

/**
 * Tells every edge process that a key changed; call it after the transaction has committed. When it resolves,
 * no process uses the old state any more, nor starts an upstream call by it: either Redis has the new
 * revision, which every request compares with its copy, and the admissions before it have expired; or Redis
 * is down, and every copy has reached its maximum age.
 */
export async function announceKeyChange(
  context: Pick<Context, 'config' | 'redis'>,
  key: { accountId: string; keyId: string; revision: bigint },
): Promise<void> {
  await announceKeyChanges(context, { accountId: key.accountId, keys: [key] })
}

/** The same for many keys of an account, in the time that one takes. */
export async function announceKeyChanges(
  { config, redis }: Pick<Context, 'config' | 'redis'>,
  { accountId, keys }: { accountId: string; keys: readonly { keyId: string; revision: bigint }[] },
): Promise<void> {
  if (keys.length === 0) return
  const isRaised = await raiseRevisions(
    redis,
    keys.map(({ keyId, revision }) => ({
      name: revisionName(config.redisPrefix, accountId, keyId),
      revision,
    })),
  )
  await sleep((isRaised ? 0 : maxKeyAgeMs) + callStartsWithinMs + 50)
}

/** Sets the revision in Redis unless Redis has a higher one. Resolves to false if Redis did not respond. */
export async function raiseRevision(redis: RedisClient, name: string, revision: bigint): Promise<boolean> {
  return raiseRevisions(redis, [{ name, revision }])
}

/** The names share a hash tag, since one script touches them. */
async function raiseRevisions(
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
