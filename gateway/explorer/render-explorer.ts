import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { pageIcon, sourceOf } from '../../platform/pages/render-page.ts'
import { barStyle, graphiqlStyle } from './explorer-styles.ts'
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
  const style = withoutFonts(await readPackage('graphiql', 'graphiql.min.css')) + graphiqlStyle + barStyle
  const libraries = await Promise.all([
    readPackage('react', 'umd/react.production.min.js'),
    readPackage('react-dom', 'umd/react-dom.production.min.js'),
    readPackage('graphql-sse', 'umd/graphql-sse.min.js'),
    readPackage('graphiql', 'graphiql.min.js'),
  ])
  const scripts = [sessionScript, ...libraries, startScript]
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

/** Reads a file of a package, which its exports need not name. */
function readPackage(name: string, file: string): Promise<string> {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
  return readFile(join(dirname(manifest), file), 'utf8')
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
