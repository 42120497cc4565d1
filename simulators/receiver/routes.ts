import { Webhook } from 'standardwebhooks'
import { escapeHtml } from '../../platform/pages/escape-html.ts'
import { type Api, drained, type Exchange, pause } from '../server/exchange.ts'
import { parseJson } from '../server/json.ts'
import { renderTable, sendPage } from '../server/page.ts'
import { sendWhole } from '../server/send.ts'
import type { ReceiverState } from './receiver.ts'

const maxCallbacks = 1000

/** Accepts callbacks at any path, and lists them as a page and as JSON. */
export const receiver: Api<ReceiverState> = {
  routes: [
    { method: 'GET', path: '/', handle: showPage },
    {
      method: 'GET',
      path: '/callbacks',
      handle: ({ callbacks }, exchange) => sendWhole(exchange, { body: { data: callbacks } }),
    },
    { method: 'POST', path: /^\/status\/(?<status>[2-5]\d\d)$/, handle: accept },
    { method: 'POST', path: /^\/delay\/(?<ms>\d{1,6})$/, handle: accept },
    { method: 'POST', path: '/huge', handle: answerEndlessly },
    { method: 'POST', path: /^\/.*$/, handle: accept },
  ],
}

/** Stores a callback, then answers as its path or the settings determine. */
async function accept(state: ReceiverState, exchange: Exchange): Promise<void> {
  const { path, params, response } = exchange
  const isRedirected = path === '/redirect'
  const status = isRedirected ? 302 : Number(params.status ?? state.settings.answerStatus)
  store(state, exchange, status)
  if (params.ms !== undefined) await pause(response, Number(params.ms))
  const headers = isRedirected ? { location: '/callbacks' } : {}
  await sendWhole(exchange, { status, headers, body: status === 204 ? '' : { status } })
}

/** Sends an endless body until the client disconnects. */
async function answerEndlessly(state: ReceiverState, exchange: Exchange): Promise<void> {
  const { response } = exchange
  store(state, exchange, 200)
  response.writeHead(200, { 'content-type': 'text/plain' })
  const piece = 'no end '.repeat(10_000)
  while (!response.destroyed) if (!response.write(piece)) await drained(response)
}

/** Verifies and stores a callback. The result does not change the answer. */
function store(state: ReceiverState, { request, path, body }: Exchange, status: number): void {
  const text = body.bytes.toString()
  const { headers } = request
  const fault = faultOf(text, headers, state.secrets())
  const callback = {
    ...{ id: String(headers['webhook-id'] ?? ''), at: state.clock.now(), path },
    ...{ isVerified: fault === undefined, fault, body: parseJson(text) ?? text, status },
  }
  state.callbacks.push(callback)
  if (state.callbacks.length > maxCallbacks) state.callbacks.shift()
  state.onCallback(callback)
}

/** Returns the reason why no secret verifies a callback, or undefined if one does. */
function faultOf(text: string, headers: object, secrets: readonly string[]): string | undefined {
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  let fault = 'no secret is configured'
  for (const secret of secrets) {
    try {
      new Webhook(secret).verify(text, sent)
      return undefined
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error)
    }
  }
  return fault
}

/** Lists the callbacks, newest first. */
function showPage({ callbacks }: ReceiverState, exchange: Exchange): Promise<void> {
  const rows = callbacks.toReversed().map(callback => {
    const { at, id, path, isVerified, fault, status } = callback
    const signature = isVerified ? 'verified' : `invalid: ${fault}`
    const cells = [new Date(at).toISOString(), id, path, signature, String(status)].map(escapeHtml)
    return [...cells, `<pre>${escapeHtml(JSON.stringify(callback.body, null, 2))}</pre>`]
  })
  const table = renderTable(['Received', 'Webhook ID', 'Path', 'Signature', 'Status', 'Body'], rows)
  const body = `<h1>Callbacks received: ${callbacks.length}</h1>${table}`
  return sendPage(exchange, { title: 'Callbacks', isLive: true, body })
}
