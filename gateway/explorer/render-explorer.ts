import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { pageIcon, sourceOf } from '../../platform/pages/render-page.ts'
import { barStyle, graphiqlStyle } from './explorer-styles.ts'
import { libraries, readLibrary } from './libraries.ts'
import { sessionScript } from './session-script.ts'
import { startScript } from './start-script.ts'

/** The explorer's page, whole and compressed: the browser loads no part of it separately. */
export interface ExplorerPage {
  gzipped: Buffer
  etag: string
  contentSecurityPolicy: string
}

const bar = `<form id="sign-in">
  <label>E-mail <input name="email" type="email" autocomplete="username" required></label>
  <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  <button type="submit">Sign in</button>
  <span id="note" role="status"></span>
  <button type="button" name="out">Sign out</button>
  <a href="/docs">REST</a>
</form>`

/** Renders GraphiQL with a bar to sign in with. Reads 2 MB of files: call it once, for the first visitor. */
export async function renderExplorer(): Promise<ExplorerPage> {
  const style = withoutFonts(await readLibrary(libraries.style)) + graphiqlStyle + barStyle
  const { react, reactDom, sse, graphiql } = libraries
  const texts = await Promise.all([react, reactDom, sse, graphiql].map(readLibrary))
  const scripts = [sessionScript, ...texts, startScript]
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${pageIcon}">
<title>Rubicon</title>
<style>${style}</style>
<body>
${bar}
<div id="root"></div>
${scripts.map(script => `<script>${script}</script>`).join('\n')}
</body>
</html>
`
  return {
    gzipped: await promisify(gzip)(html),
    etag: `"${createHash('sha256').update(html).digest('base64url').slice(0, 27)}"`,
    contentSecurityPolicy: policyOf(scripts),
  }
}

/** Removes 34 fonts of 270 kB in all. The page uses the system's own. */
function withoutFonts(css: string): string {
  return css.replace(/@font-face\s*\{[^}]*\}/g, '')
}

/** Returns the content security policy. GraphiQL's parts set style attributes. */
function policyOf(scripts: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src ${scripts.map(sourceOf).join(' ')}`,
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
