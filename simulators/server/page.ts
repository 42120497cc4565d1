import { createHash } from 'node:crypto'
import { escapeHtml } from '../../platform/http/escape-html.ts'

/** Fetches the page every two seconds and replaces its content if it has changed. */
const liveScript = `setInterval(async () => {
  const text = await fetch(location.href).then(answer => answer.text()).catch(() => '')
  const latest = new DOMParser().parseFromString(text, 'text/html').querySelector('main')
  const shown = document.querySelector('main')
  if (latest && latest.innerHTML !== shown.innerHTML) shown.replaceWith(latest)
}, 2000)`

/** The source expression that allows the script of a live page in a content security policy. */
export const liveScriptSource = `'sha256-${createHash('sha256').update(liveScript).digest('base64')}'`

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='3' fill='%23a3123c'/%3E%3Cpath d='M3 5h10v7H3zl5 4 5-4' fill='none' stroke='white'/%3E%3C/svg%3E"

/** Renders a page in the system's colour scheme. `body` is HTML. A live page refreshes itself. */
export function htmlPage(page: { title: string; style?: string; body: string; isLive?: boolean }): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="${icon}">
<title>${escapeHtml(page.title)}</title>
<style>
  :root { color-scheme: light dark }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  ${page.style ?? ''}
</style>
<main>${page.body}</main>
${page.isLive ? `<script>${liveScript}</script>` : ''}
</html>
`
}
