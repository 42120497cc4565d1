import { renderPage, sourceOf } from '../../platform/pages/render-page.ts'
import type { Answer } from './exchange.ts'

/** Fetches the page every two seconds and replaces its content if it has changed. */
const liveScript = `setInterval(async () => {
  const text = await fetch(location.href).then(answer => answer.text()).catch(() => '')
  const latest = new DOMParser().parseFromString(text, 'text/html').querySelector('main')
  const shown = document.querySelector('main')
  if (latest && latest.innerHTML !== shown.innerHTML) shown.replaceWith(latest)
}, 2000)`

/** On small screens, the cells of a table row are below each other. */
const style = `
  body { max-width: 64rem; padding-top: 2rem }
  table { border-collapse: collapse; width: 100%; table-layout: fixed }
  th, td { text-align: left; vertical-align: top; padding: .625rem 1rem .625rem 0 }
  th { color: var(--color-muted); font-size: var(--text-sm); font-weight: 500 }
  table:has(td pre) { th:nth-child(2) { width: 7rem } th:nth-child(3) { width: 55% } }
  tr { border-bottom: 1px solid var(--color-line) }
  tr:last-child { border: 0 }
  pre { padding: 1rem; border: 1px solid var(--color-line); border-radius: var(--radius-lg);
    background: var(--color-canvas); white-space: pre-wrap; overflow-wrap: anywhere }
  td pre { margin: 0; padding: .625rem .75rem }
  iframe { width: 100%; height: 16rem; border: 1px solid var(--color-line); border-radius: var(--radius-lg);
    background: #fff; color-scheme: light }
  form { margin: .5rem 0 }
  ul { list-style: none; padding: 0; margin: 0 }
  li { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; padding: .625rem 0;
    border-bottom: 1px solid var(--color-line) }
  li:last-child { border: 0 }
  li form { margin: 0 }
  li button { min-height: 1.75rem; padding: 0 .625rem; font-size: var(--text-sm) }
  .choices button { width: 100% }
  body:has(.choices) { max-width: 28rem }
  @media (max-width: 40rem) { tr, td { display: block } td { padding: .125rem 0 } tr { padding: .625rem 0 }
    tr:has(> th) { display: none } }
`

/** Pages cannot load resources. The only script that runs updates live pages. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; connect-src 'self'; script-src ${sourceOf(liveScript)}`,
  'x-content-type-options': 'nosniff',
}

/** Returns the answer with a page of a simulator. `body` is HTML. A live page updates itself. */
export function answerPage(page: { title: string; body: string; status?: number; isLive?: boolean }): Answer {
  const { title, body, status = 200, isLive = false } = page
  const { html } = renderPage({
    title,
    badge: 'Simulator',
    body,
    style,
    script: isLive ? liveScript : undefined,
  })
  return { status, headers, body: html }
}

/** Returns a time as pages show it: in UTC, to the second. */
export function formatTime(unixMs: number): string {
  return `${new Date(unixMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** Renders a table. The cells are HTML. */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const renderRow = (tag: string) => (cells: readonly string[]) =>
    `<tr>${cells.map(cell => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return `<table>${renderRow('th')(headings)}${rows.map(renderRow('td')).join('')}</table>`
}
