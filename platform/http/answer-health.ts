import type { Context, Next } from 'koa'
import type { Sql } from '../postgres/open-postgres.ts'

/** Serves `/healthz`, which says that the process lives, and `/readyz`, which says whether it can work. */
export function answerHealth(sql: Sql, isDraining: () => boolean) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path === '/healthz') return answer(ctx, true)
    if (ctx.path !== '/readyz') return next()
    const reachable = await sql`select 1`.then(
      () => true,
      () => false,
    )
    answer(ctx, reachable && !isDraining())
  }
}

function answer(ctx: Context, isWell: boolean): void {
  ctx.status = isWell ? 200 : 503
  ctx.body = { status: isWell ? 'ok' : 'unavailable' }
}
