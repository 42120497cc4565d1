import { gunzipSync } from 'node:zlib'
import type { Next } from 'koa'
import { graphPath } from '../graph/open-graph.ts'
import type { ControlContext } from '../http/control-context.ts'
import { type ExplorerPage, renderExplorer } from './render-explorer.ts'

/** Serves GraphiQL to browsers that open `/graphql`. Everything else there is the graph itself. */
export function serveExplorer() {
  let rendered: Promise<ExplorerPage> | undefined
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    if (!asksForPage(ctx)) return next()
    rendered ??= renderExplorer()
    const { gzipped, etag, contentSecurityPolicy } = await rendered
    ctx.set({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
      vary: 'accept, accept-encoding',
      etag,
    })
    ctx.status = 200
    if (ctx.get('if-none-match') === etag) ctx.status = 304
    else if (ctx.acceptsEncodings('gzip') === 'gzip') {
      ctx.set('content-encoding', 'gzip')
      ctx.body = gzipped
    } else ctx.body = gunzipSync(gzipped)
  }
}

/** A browser that navigates, also to a query in the address: the page puts that where one edits it. */
function asksForPage(ctx: ControlContext): boolean {
  if (ctx.path !== graphPath || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return false
  return ctx.query.documentId === undefined && /\btext\/html\b/.test(ctx.get('accept'))
}
