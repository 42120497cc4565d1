import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { sessionScript } from './session-script.ts'

/** The explorer's page, whole and compressed: nothing in it is loaded from elsewhere. */
export interface ExplorerPage {
  gzipped: Buffer
  etag: string
}

/** The browser is told to load nothing from any other address. */
export const explorerPolicy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' blob:",
  "style-src 'unsafe-inline'",
  'worker-src blob:',
  "connect-src 'self'",
  'img-src data:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const defaultQuery = `# Press the play button to send this.
{
  viewer {
    user { email }
    account { name balance { credits held available } }
  }
}
`

const bar = `
<style>
  body { display: flex; flex-direction: column }
  #root { flex: 1; min-height: 0 }
  #sign-in { display: flex; gap: 8px; align-items: center; padding: 8px 12px; font: 14px system-ui, sans-serif }
  #sign-in.in label, #sign-in.in [type=submit], #sign-in:not(.in) [name=out] { display: none }
  #sign-in label, #sign-in button, #sign-in input { font: inherit }
</style>
<form id="sign-in">
  <label>E-mail <input name="email" type="email" autocomplete="username" required></label>
  <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  <button type="submit">Sign in</button>
  <button type="button" name="out">Sign out</button>
  <span id="note" role="status"></span>
</form>
<script>${sessionScript}</script>`

/** Renders GraphiQL with a bar to sign in with. Takes a second and 9 MB once: call it when somebody looks. */
export async function renderExplorer(): Promise<ExplorerPage> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const page = renderGraphiQL({ title: 'Rubicon', endpoint: '/graphql', defaultQuery, headers: '{}' })
  const [head, rest, ...more] = page.split('<div id="root"></div>')
  if (head === undefined || rest === undefined || more.length > 0)
    throw new Error('GraphiQL renders its page otherwise than it did: see render-explorer')
  const html = `${head}${bar}<div id="root"></div>${rest}`.trim()
  return {
    gzipped: await promisify(gzip)(html),
    etag: `"${createHash('sha256').update(html).digest('base64url').slice(0, 27)}"`,
  }
}
