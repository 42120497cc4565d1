import { escapeHtml } from '../../platform/http/escape-html.ts'
import { htmlPage } from '../server/page.ts'
import type { ReceivedCallback } from './receiver.ts'

/** What came, the newest first, as a page that updates itself. */
export function presentPage(callbacks: readonly ReceivedCallback[]): string {
  return htmlPage({
    title: 'Callbacks',
    isLive: true,
    style,
    body: `<h1>Callbacks received: ${callbacks.length}</h1>
<table>
<tr><th>when</th><th>webhook-id</th><th>path</th><th>signature</th><th>answered</th><th>body</th></tr>
${callbacks.toReversed().map(presentRow).join('\n')}
</table>`,
  })
}

const style = `body { font-size: 14px; max-width: none; margin: 2rem }
  td, th { padding: .2rem 1rem .2rem 0; text-align: left; vertical-align: top; white-space: nowrap }
  pre { margin: 0; white-space: pre-wrap; word-break: break-all }`

function presentRow({ at, id, path, isVerified, fault, status, body }: ReceivedCallback): string {
  const cells = [
    new Date(at).toISOString(),
    id,
    path,
    isVerified ? 'verified' : `refused: ${fault}`,
    String(status),
  ]
  const shown = cells.map(cell => `<td>${escapeHtml(cell)}</td>`).join('')
  return `<tr>${shown}<td><pre>${escapeHtml(JSON.stringify(body, null, 2))}</pre></td></tr>`
}
