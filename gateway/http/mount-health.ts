import type { Next } from 'koa'
import type { Context } from '../../domain/context.ts'
import type { ControlContext } from './control-state.ts'

/** Serves `/healthz`, which says that the process lives, and `/readyz`, which says whether it can work. */
export function mountHealth({ sql }: Context, isDraining: () => boolean) {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    if (ctx.path === '/healthz') return answer(ctx, true)
    if (ctx.path !== '/readyz') return next()
    const reachable = await sql`select 1`.then(
      () => true,
      () => false,
    )
    answer(ctx, reachable && !isDraining())
  }
}

function answer(ctx: ControlContext, isWell: boolean): void {
  ctx.status = isWell ? 200 : 503
  ctx.body = { status: isWell ? 'ok' : 'unavailable' }
}
