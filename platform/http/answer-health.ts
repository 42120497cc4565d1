import type { Context, Next } from 'koa'
import type { Ids } from '../ids.ts'
import type { Sql } from '../postgres/open-postgres.ts'
import { withTimeout } from '../with-timeout.ts'

/** A Postgres that takes longer than this is not one to work with, in milliseconds. */
const patienceMs = 1_000

/**
 * Serves `/healthz`, which says that the process lives, and `/readyz`, which says whether it can work. Stands
 * before the log: who asks, asks every few seconds.
 */
export function answerHealth({ sql, ids }: { sql: Sql; ids: Ids }, isDraining: () => boolean) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path !== '/healthz' && ctx.path !== '/readyz') return next()
    const isWell = ctx.path === '/healthz' || (!isDraining() && (await answersQueries(sql)))
    ctx.set('x-request-id', ids.tagged('req_'))
    ctx.status = isWell ? 200 : 503
    ctx.body = { status: isWell ? 'ok' : 'unavailable' }
  }
}

/** Whether Postgres answers in time. */
export function answersQueries(sql: Sql): Promise<boolean> {
  return withTimeout(patienceMs, sql`select 1`).then(
    () => true,
    () => false,
  )
}
