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

/** What somebody new finds, a tab each: something to read, to change and to watch. */
const firstTabs = [
  {
    query: `# Press the play button to send this.
query Balance {
  viewer {
    user { email }
    account {
      name
      balance { credits held available }
    }
  }
}
`,
  },
  {
    query: `# What it is made with is under Variables.
mutation CreateKey($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    key
    apiKey { id name creditLimit }
  }
}
`,
    variables: `{ "input": { "name": "Explorer", "creditLimit": "5" } }`,
  },
  {
    query: `# Stays open: send a chat meanwhile.
subscription BalanceChanged {
  balanceChanged { credits held available }
}
`,
  },
]

/**
 * The bar is light or dark as GraphiQL is: as the system, or as its settings say. Its tabs stay where they are: what its
 * animation leaves at a tab moves that away from under the first click.
 */
const bar = `
<style>
  body { display: flex; flex-direction: column; height: 100vh; color-scheme: light dark;
    background: light-dark(#fff, hsl(219 29% 18%)); color: light-dark(hsl(219 28% 32%), hsl(219 29% 78%)) }
  body.graphiql-light { color-scheme: light }
  body.graphiql-dark { color-scheme: dark }
  #root { flex: 1; min-height: 0 }
  #root > .graphiql-container { height: 100% }
  .graphiql-tab { transform: none !important }
  #sign-in { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; padding: 8px 16px;
    font: 14px system-ui, sans-serif }
  #sign-in.in label, #sign-in.in [type=submit], #sign-in:not(.in) [name=out] { display: none }
  #sign-in button, #sign-in input { font: inherit; padding: 3px 10px }
  #sign-in [type=submit] { background: hsl(320 95% 43%); border: 0; border-radius: 4px; color: #fff; padding: 5px 14px }
  #sign-in a { color: inherit; margin-left: auto }
</style>
<form id="sign-in">
  <label>E-mail <input name="email" type="email" autocomplete="username" required></label>
  <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  <button type="submit">Sign in</button>
  <span id="note" role="status"></span>
  <button type="button" name="out">Sign out</button>
  <a href="/docs">REST</a>
</form>
<script>${sessionScript}</script>`

/** Renders GraphiQL with a bar to sign in with. Takes a second and 9 MB once: call it when somebody looks. */
export async function renderExplorer(): Promise<ExplorerPage> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const page = renderGraphiQL({
    title: 'Rubicon',
    endpoint: '/graphql',
    defaultTabs: firstTabs,
    shouldPersistHeaders: false, // they may carry a credential
  })
  const [head, rest, ...more] = page.split('<div id="root"></div>')
  if (head === undefined || rest === undefined || more.length > 0)
    throw new Error('GraphiQL renders its page otherwise than it did: see render-explorer')
  const html = `${slimHead(head)}${bar}<div id="root"></div>${rest}`.trim()
  return {
    gzipped: await promisify(gzip)(html),
    etag: `"${createHash('sha256').update(html).digest('base64url').slice(0, 27)}"`,
  }
}

/**
 * Returns the page's head for small screens, without the parts that the page works without: a 150 KB icon, and 34 text
 * fonts that the system's own fonts replace. The font of the editor's symbols stays, once instead of twice.
 */
function slimHead(head: string): string {
  const fonts = /@font-face\s*\{[^}]*\}/g
  const symbols = head.match(fonts)?.find(font => font.includes('font-family:codicon')) ?? ''
  return head
    .replace(fonts, '')
    .replace('<style>', () => `<style>${symbols}`)
    .replace(/<link rel="icon"[^>]*>/, () => `${viewport}<link rel="icon" href="data:,">`)
}

const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'
