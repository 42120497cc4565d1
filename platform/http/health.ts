import type { Context, Next } from 'koa'
import { withTimeout } from '../clock.ts'
import type { Ids } from '../ids.ts'
import type { Sql } from '../postgres/open-postgres.ts'
import type { RedisHealth } from '../redis/redis-health.ts'

/**
 * Maximum time in which Postgres answers a health check, in milliseconds. After it, the process counts as not ready.
 */
const timeoutMs = 1_000

/**
 * Serves `/healthz`, which reports that the process is alive, and `/readyz`, which reports whether it can serve
 * requests and whether Redis answers. These requests are not logged, because probes repeat them every few seconds.
 */
export function answerHealth(
  { ids, redisHealth, ...needed }: Needed & { ids: Ids; redisHealth: RedisHealth },
  isDraining: () => boolean,
) {
  const answer = async (ctx: Context): Promise<void> => {
    const isReadiness = ctx.path === '/readyz'
    const fault = !isReadiness ? undefined : isDraining() ? 'draining' : await findFault(needed)
    ctx.set('x-request-id', ids.tagged('req_'))
    ctx.status = fault ? 503 : 200
    ctx.body = healthBody(fault, isReadiness ? redisHealth : undefined)
  }
  return (ctx: Context, next: Next): Promise<void> =>
    ctx.path === '/healthz' || ctx.path === '/readyz' ? answer(ctx) : next()
}

/** The reasons why a process is not ready, which `/readyz` states. */
export const faults = ['draining', 'event_loop', 'postgres', 'committer', 'processes'] as const
export type Fault = (typeof faults)[number]

/** Returns the body of a health check. A process is ready without Redis, so Redis only appears in the body. */
export function healthBody(fault: Fault | undefined, redis: RedisHealth | undefined) {
  return {
    status: fault ? 'unavailable' : 'ok',
    ...(fault && { reason: fault }),
    ...(redis && { redis: redis.state, redis_failures: redis.failures }),
  }
}

/** The services that a process needs to serve requests. */
interface Needed {
  sql: Sql
  /** The committer of an edge process. */
  committer?: { readonly isAvailable: boolean }
}

/** Returns which of these services is unavailable. Waits for Postgres for up to one second. */
export async function findFault({ sql, committer }: Needed): Promise<Fault | undefined> {
  if (committer && !committer.isAvailable) return 'committer'
  return withTimeout(timeoutMs, sql`select 1`).then(
    () => undefined,
    () => 'postgres',
  )
}
