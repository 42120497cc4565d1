import { isRecord, type JsonRecord } from '../json.ts'
import type { Handler, WireFormat } from '../server/exchange.ts'
import { Refusal } from '../server/refusal.ts'
import { sendWhole } from '../server/send-whole.ts'
import type { Settings } from '../simulator.ts'
import { clearCalls } from './call-log.ts'

const listCalls: Handler = (simulator, exchange) => {
  const since = Number(exchange.query.get('since') ?? 0)
  const data = simulator.calls.entries.filter(call => call.id > since)
  return sendWhole(exchange, { body: JSON.stringify({ data, last_id: data.at(-1)?.id ?? since }) })
}

const forgetCalls: Handler = (simulator, exchange) => {
  clearCalls(simulator.calls)
  return sendWhole(exchange, { status: 204, body: '' })
}

const showSettings: Handler = ({ settings }, exchange) =>
  sendWhole(exchange, { body: JSON.stringify(presentSettings(settings)) })

const changeSettings: Handler = (simulator, exchange) => {
  const { json } = exchange.body
  if (!isRecord(json)) throw refuse(400, 'Send a JSON object of settings.')
  Object.assign(simulator.settings, readSettings(json))
  return showSettings(simulator, exchange)
}

/** How tests and operators watch and steer the simulator over HTTP. */
export const controlRoutes: WireFormat = {
  prefix: '/__sim/',
  isRecorded: false,
  presentHeaders: () => ({}),
  routes: [
    { method: 'GET', path: '/__sim/calls', handle: listCalls },
    { method: 'DELETE', path: '/__sim/calls', handle: forgetCalls },
    { method: 'GET', path: '/__sim/settings', handle: showSettings },
    { method: 'POST', path: '/__sim/settings', handle: changeSettings },
  ],
  refuseUnknown: (method, path) => refuse(404, `The simulator has no ${method} ${path}.`),
  refuseTooLarge: () => refuse(413, 'The body is too large.'),
}

function readSettings(body: JsonRecord): Partial<Settings> {
  const changed: Partial<Settings> = {}
  for (const [name, value] of Object.entries(body)) {
    if (name === 'record' && typeof value === 'boolean') changed.record = value
    else if (name === 'require_salt' && typeof value === 'boolean') changed.requireSalt = value
    else if (name === 'latency_ms' && isCount(value)) changed.latencyMs = value
    else if (name === 'chunk_delay_ms' && isCount(value)) changed.chunkDelayMs = value
    else if (name === 'cache_minimum_tokens' && isCount(value)) changed.cacheMinimumTokens = value
    else throw refuse(400, `Not a setting, or not a value for it: ${name}.`)
  }
  return changed
}

function presentSettings(settings: Settings): JsonRecord {
  return {
    latency_ms: settings.latencyMs,
    chunk_delay_ms: settings.chunkDelayMs,
    record: settings.record,
    cache_minimum_tokens: settings.cacheMinimumTokens,
    require_salt: settings.requireSalt,
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function refuse(status: number, message: string): Refusal {
  return new Refusal({ status, body: { error: message } })
}
