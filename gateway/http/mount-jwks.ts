import type { Next } from 'koa'
import { listPublicKeys } from '../../domain/accounts/signing-keys.ts'
import { Problem } from '../../schema/errors.ts'
import { openSubgraphContext, type SubgraphServices } from '../../subgraphs/runtime/services.ts'
import type { ControlContext } from './control-state.ts'

/** Publishes the keys that session tokens are verified with. */
export function mountJwks(services: SubgraphServices) {
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    if (ctx.path !== '/.well-known/jwks.json') return next()
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw new Problem('method_not_allowed')
    ctx.set('cache-control', 'public, max-age=60')
    ctx.body = await listPublicKeys(openSubgraphContext(services, ctx.state.call))
  }
}
