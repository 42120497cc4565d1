import type { ParameterizedContext } from 'koa'
import { renderPage } from './render-page.ts'

/** Whether a browser opens an address, so that a page is a better response than JSON. */
export function asksForPage(ctx: ParameterizedContext): boolean {
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
  return isRead && !ctx.path.startsWith('/v1/') && /\btext\/html\b/.test(ctx.get('accept'))
}

/**
 * Responds to a browser with a page: at `/` a description of this service, at any other address a 404 with the same
 * links.
 */
export function showPage(ctx: ParameterizedContext): void {
  const isHome = ctx.path === '/'
  const { html, contentSecurityPolicy } = isHome ? home : missing
  ctx.status = isHome ? 200 : 404
  ctx.set({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
    vary: 'accept',
  })
  ctx.body = html
}

const style = `
  ul { list-style: none; padding: 0; margin: 1.5rem 0 0 }
  li { border-top: 1px solid var(--color-line) }
  li a { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .625rem 0; color: var(--color-muted); text-decoration: none }
  li a b { min-width: 8rem; font-weight: 500; color: var(--color-ink) }
  li a:hover b, li a:focus-visible b { text-decoration: underline }
`

const home = linksPage(
  'Rubicon',
  '<p>A gateway in front of AI models: one account and one API key for the chat, image, video and audio models of many vendors. Clients of OpenAI and Anthropic work with <code>/v1</code> as their base address.</p>',
)

const missing = linksPage('Not found', '<p>This address does not exist. These do:</p>')

function linksPage(title: string, intro: string) {
  const body = `
<h1>${title}</h1>
${intro}
<ul>
  <li><a href="/docs"><b>/docs</b> Read and try the API</a></li>
  <li><a href="/graphql"><b>/graphql</b> Explore the management graph</a></li>
  <li><a href="/openapi.json"><b>/openapi.json</b> The API as OpenAPI 3.1</a></li>
  <li><a href="/readyz"><b>/readyz</b> Health of this process</a></li>
</ul>`
  return renderPage({ title, body, style })
}
