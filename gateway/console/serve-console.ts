import type { Next } from 'koa'
import type { Config } from '../../platform/config/read-config.ts'
import { asksForPage, showPage } from '../../platform/pages/show-page.ts'
import { Problem } from '../../schema/errors.ts'
import type { ControlContext } from '../http/control-context.ts'
import { mailedLinkPaths } from '../http/serve-account-pages.ts'
import { returnPath } from '../http/serve-payments.ts'
import { type ConsoleFile, type Encoding, readConsole } from './read-console.ts'

export const consolePath = '/console'

/** The page of the console. It has every address below `/console` that is not a file. */
const page = 'index.html'

/**
 * Pages of the service that the console replaces, and the pages of the console to which they lead. Browsers keep the
 * fragment of the address, which has the token of a link in an e-mail.
 */
const replaced = new Map([
  ['/', ''],
  [returnPath, '/billing'],
  ...mailedLinkPaths.map(path => [path, path.replace('/account', '')] as const),
])

/** The names of these files contain a digest of their content. */
const hashed = 'assets/'

/**
 * Serves the built console at `/console`, and leads browsers from `/` there, and from the page to which Checkout returns.
 * Without a built console, `/` is the page that lists the addresses of the API, and `/console` does not exist. The files
 * are read once.
 */
export function mountConsole(config: Pick<Config, 'baseUrl' | 'mediaUrl'>, folders: readonly string[]) {
  const files = readConsole(folders)
  const headers = headersOf(config)
  return async (ctx: ControlContext, next: Next): Promise<void> => {
    const replacement = asksForPage(ctx) ? replaced.get(ctx.path) : undefined
    if (files && replacement !== undefined) return leadToConsole(ctx, replacement)
    if (ctx.path === '/' && asksForPage(ctx)) return showPage(ctx)
    const isOfConsole = ctx.path === consolePath || ctx.path.startsWith(`${consolePath}/`)
    if (!files || !isOfConsole) return next()
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.set('allow', 'GET, HEAD')
      throw new Problem('method_not_allowed')
    }
    ctx.set(headers)
    serveFile(ctx, files)
  }
}

/** Serves the file that the path names, or else the page. Throws `not_found` for a hashed file of another version. */
function serveFile(ctx: ControlContext, files: ReadonlyMap<string, ConsoleFile>): void {
  const name = ctx.path.slice(consolePath.length + 1)
  const file = files.get(name) ?? (name.startsWith(hashed) ? undefined : files.get(page))
  if (!file) throw new Problem('not_found')
  ctx.set('cache-control', cacheControlOf(name, files))
  sendConsoleFile(ctx, file)
}

/** Leads to a page of the console, with the parameters of the address. */
function leadToConsole(ctx: ControlContext, path: string): void {
  ctx.set({ vary: 'accept', 'cache-control': 'no-cache' })
  ctx.redirect(consolePath + path + ctx.search)
}

/** Browsers check on each visit whether the page has changed. It names the files of its version. */
function cacheControlOf(name: string, files: ReadonlyMap<string, ConsoleFile>): string {
  if (name.startsWith(hashed)) return 'public, max-age=31536000, immutable'
  return name !== page && files.has(name) ? 'public, max-age=3600' : 'no-cache'
}

function sendConsoleFile(ctx: ControlContext, { type, etag, bodies }: ConsoleFile): void {
  ctx.set({ 'content-type': type, etag, vary: 'accept-encoding' })
  ctx.status = 200
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  const accepted = ctx.acceptsEncodings('br', 'gzip', 'identity')
  const encoding: Encoding = accepted === 'br' || accepted === 'gzip' ? accepted : 'identity'
  if (encoding !== 'identity') ctx.set('content-encoding', encoding)
  ctx.body = bodies[encoding]
}

/** The headers of every file. The console runs its own scripts and styles only, and shows results from the media's host. */
function headersOf({ baseUrl, mediaUrl }: Pick<Config, 'baseUrl' | 'mediaUrl'>): Record<string, string> {
  const media = new URL(mediaUrl).origin
  const sockets = new URL(baseUrl).origin.replace(/^http/, 'ws')
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    `img-src 'self' data: ${media}`,
    `media-src 'self' ${media}`,
    `connect-src 'self' ${sockets}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}
