import type { IncomingMessage } from 'node:http'
import { closed, type Exchange, pause, Refusal, type ServerState } from './exchange.ts'

/** Faults by name; every status from 400 to 599 is one as well: `503`. vendors/README.md describes each. */
const faultNames = [
  ...(['slow', 'hang', 'flaky', 'quota', 'too-long', 'cut', 'truncate', 'stall', 'garbage'] as const),
  ...([
    'error-frame',
    'trickle',
    'split',
    'no-usage',
    'empty',
    'blank',
    'refusal',
    'malformed-call',
  ] as const),
  ...(['fail', 'stuck', 'takes', 'lost', 'poll', 'file', 'file-cut', 'file-hang', 'large', 'fewer'] as const),
]

/** Something that goes wrong on purpose, as a marker like `slow;ms=200` requests. */
export interface Fault {
  readonly name: (typeof faultNames)[number] | 'status'
  /** `n=`: chunks, times or bytes, by the fault's meaning. */
  readonly count: number | undefined
  /** `ms=` */
  readonly waitMs: number | undefined
  /** The HTTP status: the fault's own name, or of `flaky` (`status=`). */
  readonly status: number
  /** `key=`: which calls count as tries of the same thing. */
  readonly key: string | undefined
}

/** A failure that a fault requests, for an API to present as its vendor would. */
export interface Failure {
  readonly kind: 'status' | 'quota' | 'too-long'
  readonly status: number
  readonly model: string
  /** How long a client should wait before it tries again. */
  readonly retryAfterMs: number
}

/** Reads a marker like `slow;ms=200` or `503`. Undefined where no fault has that name, or a number is none. */
export function parseFault(marker: string): Fault | undefined {
  const [word = '', ...settings] = marker.split(';').map(part => part.trim())
  const isStatus = /^[45]\d\d$/.test(word)
  const name: Fault['name'] | undefined = isStatus ? 'status' : faultNames.find(known => known === word)
  if (!name) return undefined
  const values = new Map(settings.map(parseSetting))
  const count = parseNumber(values.get('n'))
  const waitMs = parseNumber(values.get('ms'))
  const status = isStatus ? Number(word) : (parseNumber(values.get('status')) ?? 500)
  if ([count, waitMs, status].some(Number.isNaN)) return undefined
  return { name, count, waitMs, status, key: values.get('key') }
}

function parseSetting(text: string): [name: string, value: string] {
  const [name = '', ...value] = text.split('=')
  return [name.trim(), value.join('=').trim()]
}

function parseNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return /^\d+$/.test(text) ? Number(text) : Number.NaN
}

/** Where a call may carry the marker of a fault. */
interface MarkerPlaces {
  readonly request: Pick<IncomingMessage, 'headers'>
  /** The upstream model name: `gpt-sim@slow;ms=200`. */
  readonly model: string
  /** The last user message: `hello [[fault: slow;ms=200]]`. */
  readonly text: string
}

const opening = '[[fault:'
const closing = ']]'

/**
 * The fault that a call requests: in the header `x-sim-fault`, else in its last user message, else in the name of
 * its model.
 * A misspelt header or message is refused, so that no test passes for want of its fault;
 * a model's name is not, since some vendors' names hold an `@` of their own.
 */
export function findFault({ request, model, text }: MarkerPlaces): Fault | undefined {
  const header = request.headers['x-sim-fault']
  if (typeof header === 'string') return parseStrictly(header)
  const start = text.lastIndexOf(opening)
  const end = start < 0 ? -1 : text.indexOf(closing, start)
  if (end >= 0) return parseStrictly(text.slice(start + opening.length, end))
  const at = model.lastIndexOf('@')
  return at < 0 ? undefined : parseFault(model.slice(at + 1))
}

function parseStrictly(marker: string): Fault {
  const fault = parseFault(marker)
  if (!fault) throw new Refusal({ status: 400, body: { error: `The simulator knows no fault "${marker}".` } })
  return fault
}

/** A message without its markers, as a model should read it. */
export function dropMarkers(text: string): string {
  return text.includes(opening) ? text.replace(/\s*\[\[fault:.*?\]\]/gs, '') : text
}

const maxFailuresKept = 10_000
const failureKinds: Partial<Record<Fault['name'], Failure['kind']>> = {
  status: 'status',
  flaky: 'status',
  quota: 'quota',
  'too-long': 'too-long',
}

/**
 * Finds the fault of a call and applies what comes before the first byte, the configured latency included: waits,
 * never answers, or throws what the API makes of the failure. Returns the fault; the client may have left by then.
 */
export async function startAnswer(
  state: ServerState,
  exchange: Exchange,
  { model, text, refuse }: { model: string; text: string; refuse: (failure: Failure) => Refusal },
): Promise<Fault | undefined> {
  const fault = findFault({ request: exchange.request, model, text })
  const { latencyMs } = state.settings
  const waitMs = fault?.name === 'slow' ? latencyMs + (fault.waitMs ?? 1000) : latencyMs
  if (waitMs > 0) await pause(exchange.response, waitMs)
  if (!fault) return undefined
  if (fault.name === 'hang') await closed(exchange.response)
  if (fault.name === 'flaky' && !failsAgain(state, fault, `${exchange.path}\n${model}\n${text}`)) return fault
  const kind = failureKinds[fault.name]
  if (kind) throw refuse({ kind, status: fault.status, model, retryAfterMs: fault.waitMs ?? 1000 })
  return fault
}

/** Counts one more failure of this fault, unless it has failed often enough. */
function failsAgain({ failures }: ServerState, fault: Fault, defaultKey: string): boolean {
  const key = fault.key ?? defaultKey
  const failed = failures.get(key) ?? 0
  if (failed >= (fault.count ?? 1)) return false
  if (failures.size >= maxFailuresKept) failures.clear()
  failures.set(key, failed + 1)
  return true
}
