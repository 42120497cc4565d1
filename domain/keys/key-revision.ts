import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisClient } from '../../platform/redis/open-redis.ts'
import { runScript, script } from '../../platform/redis/run-script.ts'
import type { Context } from '../context.ts'
import { revisionName } from '../rates/rate-script.ts'

/** How long, in milliseconds, a process may believe its copy of a key without asking Postgres. */
export const maxKeyAgeMs = 800

/** How long Redis keeps a revision: long enough to be there, short enough not to pile up. */
const revisionLifeSeconds = 86_400

/** An admission stands for so long, in milliseconds, before the key is asked again (`still-stands`). */
export const admissionValidMs = 100

/**
 * The bytes of a call leave at most so long, in milliseconds, after its key was asked; where the connection takes
 * longer to be ready, the key is asked again. A change is confirmed once this has passed.
 */
export const callStartsWithinMs = 250

/**
 * Tells every edge process that a key changed, after the change is committed. When it returns, no process still
 * believes the old state or may still begin a call by it: either Redis carries the new revision, which each request
 * compares, and what was allowed before has run out; or Redis is away and the life of every copy has passed.
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
  const raised = await raiseRevisions(
    redis,
    keys.map(({ keyId, revision }) => ({
      name: revisionName(config.redisPrefix, accountId, keyId),
      revision,
    })),
  )
  await sleep((raised ? 0 : maxKeyAgeMs) + callStartsWithinMs + 50)
}

/** Sets the revision unless a higher one is there. Resolves to false when Redis did not answer. */
export async function raiseRevision(redis: RedisClient, name: string, revision: bigint): Promise<boolean> {
  return raiseRevisions(redis, [{ name, revision }])
}

/** Revisions raised by one call of the script. */
const raisedAtOnce = 500

/** The names share a hash tag. */
async function raiseRevisions(
  redis: RedisClient,
  revisions: readonly { name: string; revision: bigint }[],
): Promise<boolean> {
  try {
    for (let first = 0; first < revisions.length; first += raisedAtOnce) {
      const some = revisions.slice(first, first + raisedAtOnce)
      const names = some.map(({ name }) => name)
      await runScript(redis, raise, names, [
        revisionLifeSeconds,
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
