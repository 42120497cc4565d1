import {
  type Api,
  type CallLog,
  type Exchange,
  Refusal,
  type ServerState,
  type SimulatorCall,
} from './exchange.ts'
import { isRecord, type Json, type JsonRecord } from './json.ts'
import { sendWhole } from './send.ts'

const maxCalls = 1000
const maxBytes = 256 * 1024 * 1024

export function openCallLog(): CallLog {
  return { entries: [], sizesBytes: [], totalBytes: 0 }
}

export function clearCalls(log: CallLog): void {
  log.entries.length = 0
  log.sizesBytes.length = 0
  log.totalBytes = 0
}

/** Records a call, and its outcome when the response closes. Deletes the oldest calls above 1,000 calls or 256 MB. */
export function recordCall(
  { clock, calls }: ServerState,
  { id, request, response, body }: Pick<Exchange, 'id' | 'request' | 'response' | 'body'>,
): SimulatorCall {
  const call: SimulatorCall = {
    id,
    at: clock.now(),
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: request.headers,
    body: body.json ?? (body.bytes.length > 0 ? body.bytes.toString() : null),
    status: null,
    frames: 0,
    finished: false,
    aborted: false,
    cut: false,
  }
  calls.entries.push(call)
  calls.sizesBytes.push(body.bytes.length)
  calls.totalBytes += body.bytes.length
  while (calls.entries.length > maxCalls || (calls.totalBytes > maxBytes && calls.entries.length > 1)) {
    calls.entries.shift()
    calls.totalBytes -= calls.sizesBytes.shift() ?? 0
  }
  response.once('close', () => {
    call.status = response.headersSent ? response.statusCode : null
    call.finished = response.writableFinished && !call.cut
    call.aborted = !call.finished && !call.cut
  })
  return call
}

/** The control API: the settings, in snake case. */
export const control: Api<ServerState> = {
  prefix: '/__sim/',
  isRecorded: false,
  presentHeaders: () => ({}),
  routes: [
    { method: 'GET', path: '/__sim/settings', handle: showSettings },
    {
      method: 'POST',
      path: '/__sim/settings',
      handle: (state, exchange) => {
        Object.assign(state.settings, readSettings(exchange.body.json, { ...state.settings }))
        return showSettings(state, exchange)
      },
    },
  ],
  refuseUnknown: (method, path) => refuse(404, `Not found: ${method} ${path}.`),
  refuseTooLarge: () => refuse(413, 'The body exceeds 100 MB.'),
}

function showSettings({ settings }: ServerState, exchange: Exchange): Promise<void> {
  const shown = Object.entries(settings).map(([name, value]) => [snakeCase(name), value])
  return sendWhole(exchange, { body: Object.fromEntries(shown) })
}

function readSettings(body: Json | undefined, settings: JsonRecord): JsonRecord {
  if (!isRecord(body)) throw refuse(400, 'The body must be a JSON object of settings.')
  const changed: JsonRecord = {}
  for (const [shown, value] of Object.entries(body)) {
    const name = Object.keys(settings).find(known => snakeCase(known) === shown)
    const isNegative = typeof value === 'number' && !(value >= 0)
    if (name === undefined || typeof value !== typeof settings[name] || isNegative)
      throw refuse(
        400,
        `Invalid setting: ${shown}. GET /__sim/settings returns the settings and their types.`,
      )
    changed[name] = value
  }
  return changed
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

function refuse(status: number, message: string): Refusal {
  return new Refusal({ status, body: { error: message } })
}
