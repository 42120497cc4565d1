import { Webhook } from 'standardwebhooks'
import { systemClock } from '../../platform/clock.ts'
import { escapeHtml } from '../../platform/pages/escape-html.ts'
import type { Answer, Exchange, ServerState } from '../server/exchange.ts'
import { type Json, parseJson } from '../server/json.ts'
import { answerPage, formatTime, renderTable } from '../server/page.ts'
import { type ListenOptions, listen, type RunningServer } from '../server/serve.ts'

interface ReceivedCallback {
  /** The header `webhook-id`. */
  readonly id: string
  /** When it arrived, in Unix milliseconds. */
  readonly at: number
  readonly path: string
  /** Whether its signature and its timestamp are valid. */
  readonly isVerified: boolean
  /** The reason why it is not verified. */
  readonly fault: string | undefined
  readonly body: Json
}

interface Receiver extends ServerState {
  readonly settings: {
    readonly record: boolean
    /** Returns the answer to a callback. */
    answer(exchange: Exchange): Answer | Promise<Answer>
  }
  readonly callbacks: ReceivedCallback[]
}

interface RunningReceiver extends RunningServer<Receiver> {
  /** A live view of the latest 1,000 callbacks, oldest first. */
  readonly callbacks: readonly ReceivedCallback[]
}

interface ReceiverOptions extends ListenOptions {
  /** Returns the account's current secrets. A callback is valid if one of them verifies it. */
  secrets(): readonly string[]
  /** Called with each callback. */
  onCallback?(callback: ReceivedCallback): void
}

const maxCallbacks = 1_000

/** Starts a server that verifies and stores callbacks at any path, and lists them as a page and as JSON. */
export async function startReceiver(options: ReceiverOptions): Promise<RunningReceiver> {
  const { secrets, onCallback } = options
  const receiver: Receiver = {
    settings: { record: false, answer: () => ({ status: 204 }) },
    ...{ clock: systemClock, calls: [], requestCount: 0, callbacks: [] },
  }
  const { callbacks, settings } = receiver
  const accept = (_: Receiver, exchange: Exchange) => {
    const callback = readCallback(exchange, secrets())
    callbacks.push(callback)
    if (callbacks.length > maxCallbacks) callbacks.shift()
    onCallback?.(callback)
    return settings.answer(exchange)
  }
  const routes = {
    'GET /': showPage,
    'GET /callbacks': (state: Receiver, { request }: Exchange) =>
      request.headers.accept?.includes('text/html') ? showPage(state) : { body: { data: callbacks } },
    'POST /*': accept,
  }
  return { ...(await listen(receiver, [{ routes }], options)), callbacks }
}

/** Reads and verifies a callback. The result does not change the answer. */
function readCallback({ request, path, bytes }: Exchange, secrets: readonly string[]): ReceivedCallback {
  const text = bytes.toString()
  const headers = request.headers as Record<string, string>
  const fault = faultOf(text, headers, secrets)
  return {
    ...{ id: headers['webhook-id'] ?? '', at: Date.now(), path },
    ...{ isVerified: fault === undefined, fault, body: parseJson(text) ?? text },
  }
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

/** Lists the callbacks, newest first. */
function showPage({ callbacks }: Receiver): Answer {
  const rows = callbacks.toReversed().map(({ at, id, path, isVerified, fault, body }) => {
    const received = [formatTime(at), id, path].map(escapeHtml).join('<br>')
    const signature = isVerified
      ? '<span class="badge ok">verified</span>'
      : `<span class="badge danger">invalid</span> ${escapeHtml(String(fault))}`
    return [received, signature, `<pre>${escapeHtml(JSON.stringify(body, null, 2))}</pre>`]
  })
  const table =
    rows.length > 0
      ? renderTable(['Received', 'Signature', 'Body'], rows)
      : '<p class="muted">No callbacks yet. Submit a task with this address as its callback_url.</p>'
  const heading = `<h1>Callbacks received: ${callbacks.length}</h1>
    <p class="muted">Signatures are verified with the secret of one account: with npm start, of the demo account. Callbacks
    of other accounts are shown as invalid.</p>`
  return answerPage({ title: 'Callbacks', isLive: true, body: heading + table })
}
