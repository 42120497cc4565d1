import { readFile } from 'node:fs/promises'
import type { Next } from 'koa'
import { tokens } from '../../platform/pages/page-style.ts'
import { pageIcon } from '../../platform/pages/render-page.ts'
import { Problem } from '../../schema/errors.ts'
import type { ControlContext } from '../http/control-context.ts'
import { openDescription } from './open-description.ts'

const page = (name: string) => new URL(`./page/${name}`, import.meta.url)

const scripts = ['docs.js', 'element.js', 'send-request.js', 'type-text.js']

/** The files of the page that shows the document, by path. */
const files: ReadonlyMap<string, { file: URL; type: string }> = new Map([
  ['/docs', { file: page('index.html'), type: 'text/html; charset=utf-8' }],
  ['/docs/docs.css', { file: page('docs.css'), type: 'text/css; charset=utf-8' }],
  ...scripts.map(
    name => [`/docs/${name}`, { file: page(name), type: 'text/javascript; charset=utf-8' }] as const,
  ),
])

/** Allows the page only its own scripts and requests to its own origin. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Serves the OpenAPI document at `/openapi.json` and a page to read and try it at `/docs`. Neither needs a token.
 * The files are read once; the document is rebuilt if the catalogue changes.
 */
export async function mountOpenApi(context: Parameters<typeof openDescription>[0]) {
  const served = new Map<string, { body: () => Buffer | Promise<Buffer>; type: string }>()
  for (const [path, { file, type }] of files) {
    const text = await readFile(file, 'utf8')
    const body = Buffer.from(path.endsWith('.css') ? tokens + text : text.replaceAll('{icon}', pageIcon))
    served.set(path, { body: () => body, type })
  }
  const description = await openDescription(context)
  served.set('/openapi.json', { body: description, type: 'application/json; charset=utf-8' })

  return async (ctx: ControlContext, next: Next): Promise<void> => {
    const found = served.get(ctx.path.replace(/(?<=.)\/$/, ''))
    if (!found) return next()
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.set('allow', 'GET, HEAD')
      throw new Problem('method_not_allowed')
    }
    ctx.set('cache-control', 'public, max-age=60')
    ctx.set('content-security-policy', contentSecurityPolicy)
    ctx.type = found.type
    ctx.body = await found.body()
  }
}
