import type { EdgeContext } from './edge.ts'

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='%23a3123c'/%3E%3Cpath d='M5 13V3h4a3 3 0 0 1 0 6H5m4 0 3 4' fill='none' stroke='white' stroke-width='2'/%3E%3C/svg%3E"

/** The page runs no script and loads nothing. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Whether a browser opens an address, so that a page answers it better than JSON. */
export function asksForPage(ctx: EdgeContext): boolean {
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
  return isRead && !ctx.path.startsWith('/v1/') && /\btext\/html\b/.test(ctx.get('accept'))
}

/** Answers a browser: `/` with what this service is, any other address with 404 and the same links. */
export function showPage(ctx: EdgeContext): void {
  const isHome = ctx.path === '/'
  ctx.status = isHome ? 200 : 404
  ctx.set({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
    vary: 'accept',
  })
  ctx.body = isHome ? home : missing
}

const home = page(
  'Rubicon',
  '<p>A gateway in front of AI models: one account and one API key for the chat, image, video and audio models of many vendors. Clients of OpenAI and Anthropic work with <code>/v1</code> as their base address.</p>',
)

const missing = page('Not found', '<p>This address does not exist. These do:</p>')

function page(title: string, intro: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${icon}">
<title>${title}</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 40rem; margin: 12vh auto; padding: 0 1.25rem }
  h1 { font-size: 2rem; margin: 0 0 .5rem }
  ul { list-style: none; padding: 0; margin: 2rem 0 }
  li { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent) }
  li a { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .75rem 0; color: inherit; text-decoration: none }
  li a b { min-width: 8rem }
  li a:hover b, li a:focus-visible b { text-decoration: underline }
</style>
<main>
<h1>${title}</h1>
${intro}
<ul>
  <li><a href="/docs"><b>/docs</b> Read and try the API</a></li>
  <li><a href="/graphql"><b>/graphql</b> Explore the management graph</a></li>
  <li><a href="/openapi.json"><b>/openapi.json</b> The API as OpenAPI 3.1</a></li>
  <li><a href="/readyz"><b>/readyz</b> Health of this process</a></li>
</ul>
</main>
</html>
`
}
