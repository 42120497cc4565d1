import { escapeHtml } from '../../platform/http/escape-html.ts'
import { htmlPage } from '../server/page.ts'
import type { ReceivedCallback } from './receiver.ts'

/** Renders the callbacks, newest first. The page refreshes itself. */
export function presentPage(callbacks: readonly ReceivedCallback[]): string {
  return htmlPage({
    title: 'Callbacks',
    isLive: true,
    style,
    body: `<h1>Callbacks received: ${callbacks.length}</h1>
<table>
<tr><th>Received</th><th>Webhook ID</th><th>Path</th><th>Signature</th><th>Status</th><th>Body</th></tr>
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
    isVerified ? 'verified' : `invalid: ${fault}`,
    String(status),
  ]
  const shown = cells.map(cell => `<td>${escapeHtml(cell)}</td>`).join('')
  return `<tr>${shown}<td><pre>${escapeHtml(JSON.stringify(body, null, 2))}</pre></td></tr>`
}
