import { escapeHtml } from '../../platform/http/escape-html.ts'
import type { ReceivedCallback } from './receiver.ts'

/** What came, the newest first, as a page that reloads itself. */
export function presentPage(callbacks: readonly ReceivedCallback[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="2">
<title>Callbacks</title>
<style>
  body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem }
  td, th { padding: .2rem 1rem .2rem 0; text-align: left; vertical-align: top }
  pre { margin: 0; white-space: pre-wrap; word-break: break-all }
</style>
<h1>Callbacks received: ${callbacks.length}</h1>
<table>
<tr><th>when</th><th>webhook-id</th><th>path</th><th>signature</th><th>answered</th><th>body</th></tr>
${callbacks.toReversed().map(presentRow).join('\n')}
</table>
</html>
`
}

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
