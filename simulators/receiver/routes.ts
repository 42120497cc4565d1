import { Webhook } from 'standardwebhooks'
import { escapeHtml } from '../../platform/pages/escape-html.ts'
import { type Api, closed, drained, type Exchange, pause, Refusal } from '../server/exchange.ts'
import { parseJson } from '../server/json.ts'
import { htmlPage } from '../server/page.ts'
import { sendWhole } from '../server/send.ts'
import type { ReceivedCallback, ReceiverState } from './receiver.ts'

const maxCallbacks = 1000

/** Accepts callbacks at any path, and lists them as a page and as JSON. */
export const receiver: Api<ReceiverState> = {
  prefix: '/',
  presentHeaders: () => ({}),
  routes: [
    {
      method: 'GET',
      path: '/',
      handle: ({ callbacks }, exchange) =>
        sendWhole(exchange, {
          headers: { 'content-type': 'text/html; charset=utf-8' },
          body: presentPage(callbacks),
        }),
    },
    {
      method: 'GET',
      path: '/callbacks',
      handle: ({ callbacks }, exchange) => sendWhole(exchange, { body: { data: callbacks } }),
    },
    {
      method: 'POST',
      path: /^\/status\/(?<status>\d{3})$/,
      handle: (state, exchange) => answer(state, exchange),
    },
    { method: 'POST', path: /^\/delay\/(?<ms>\d{1,6})$/, handle: answerLate },
    { method: 'POST', path: '/redirect', handle: (state, exchange) => answer(state, exchange, redirected) },
    { method: 'POST', path: '/huge', handle: answerEndlessly },
    { method: 'POST', path: /^\//, handle: (state, exchange) => answer(state, exchange) },
  ],
  refuseUnknown: (method, path) =>
    new Refusal({
      status: 404,
      body: { error: `Not found: ${method} ${path}. The README lists the routes.` },
    }),
  refuseTooLarge: () => new Refusal({ status: 413, body: { error: 'The body exceeds 100 MB.' } }),
}

const redirected = { status: 302, headers: { location: '/callbacks' } }

async function answer(
  state: ReceiverState,
  exchange: Exchange,
  {
    status = statusOf(state, exchange),
    headers = {},
  }: { status?: number; headers?: Record<string, string> } = {},
): Promise<void> {
  store(state, exchange, status)
  if (state.settings.latencyMs > 0) await pause(exchange.response, state.settings.latencyMs)
  await sendWhole(exchange, { status, headers, body: status === 204 ? '' : { status } })
}

function statusOf({ settings }: ReceiverState, { params }: Exchange): number {
  const status = Number(params.status)
  return status >= 200 && status <= 599 ? status : settings.answerStatus
}

async function answerLate(state: ReceiverState, exchange: Exchange): Promise<void> {
  store(state, exchange, state.settings.answerStatus)
  await pause(exchange.response, Number(exchange.params.ms))
  await sendWhole(exchange, { status: state.settings.answerStatus, body: '' })
}

/** Sends an endless body until the client disconnects. */
async function answerEndlessly(state: ReceiverState, exchange: Exchange): Promise<void> {
  const { response } = exchange
  store(state, exchange, 200)
  response.writeHead(200, { 'content-type': 'text/plain' })
  const piece = 'no end '.repeat(10_000)
  while (!response.destroyed) if (!response.write(piece)) await drained(response)
  await closed(response)
}

/** Verifies and stores a callback. The result does not change the answer. */
function store(state: ReceiverState, { request, path, body }: Exchange, status: number): void {
  const text = body.bytes.toString()
  const fault = faultOf(text, headersOf(request.headers), state.secrets())
  const callback: ReceivedCallback = {
    id: String(request.headers['webhook-id'] ?? ''),
    at: state.clock.now(),
    path,
    isVerified: fault === undefined,
    ...(fault !== undefined && { fault }),
    body: parseJson(text) ?? text,
    status,
  }
  state.callbacks.push(callback)
  if (state.callbacks.length > maxCallbacks) state.callbacks.shift()
  state.onCallback(callback)
}

function headersOf(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

/** Returns the reason why no secret verifies a callback, or undefined if one does. */
function faultOf(
  text: string,
  headers: Record<string, string>,
  secrets: readonly string[],
): string | undefined {
  let fault = 'no secret is configured'
  for (const secret of secrets) {
    try {
      new Webhook(secret).verify(text, headers)
      return undefined
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error)
    }
  }
  return fault
}

/** Renders the callbacks, newest first. The page refreshes itself. */
function presentPage(callbacks: readonly ReceivedCallback[]): string {
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

const style = `body { font-size: 14px; max-width: none }
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
