import { closed, type Exchange, pause, Refusal, type ServerState } from './exchange.ts'

/** The names of faults; every status from 400 to 599 is one too: `503`. vendors/README.md describes them. */
const faultNames = [
  ...(['slow', 'hang', 'flaky', 'quota', 'too-long', 'cut', 'truncate', 'stall', 'garbage'] as const),
  ...(['error-frame', 'trickle', 'split', 'no-usage', 'empty', 'blank', 'refusal'] as const),
  'malformed-call' as const,
  ...(['fail', 'stuck', 'takes', 'lost', 'poll', 'file', 'file-cut', 'file-hang', 'large', 'fewer'] as const),
]

/** A fault that a marker like `slow;ms=200` requests. */
export interface Fault {
  readonly name: (typeof faultNames)[number] | 'status'
  /** `n=`: a number of chunks, failures or bytes, depending on the fault. */
  readonly count: number | undefined
  /** `ms=`: a time in milliseconds. */
  readonly waitMs: number | undefined
  /** The HTTP status: the fault's name, else `status=`. The default is 500. */
  readonly status: number
  /** `key=`: calls with the same key share one count of failures. */
  readonly key: string | undefined
}

/** A failure that a fault requests. Each API presents it in its vendor's format. */
export interface Failure {
  readonly kind: 'status' | 'quota' | 'too-long'
  readonly status: number
  readonly model: string
  /** The delay after which the client should retry. */
  readonly retryAfterMs: number
}

/** Parses a marker like `slow;ms=200` or `503`. Returns undefined if the name or a number is invalid. */
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

/** The places of a call that can contain a marker. */
interface MarkerPlaces {
  /** The model name: `gpt-sim@slow;ms=200`. */
  readonly model: string
  /** The last user message: `hello [[fault: slow;ms=200]]`. */
  readonly text: string
}

const opening = '[[fault:'
const closing = ']]'

/**
 * Returns the fault that the last user message requests, else the fault in the model name. Throws a `Refusal` if the
 * message requests an unknown fault. In a model name it is ignored, because some vendors use `@` in names.
 */
export function findFault({ model, text }: MarkerPlaces): Fault | undefined {
  const start = text.lastIndexOf(opening)
  const end = start < 0 ? -1 : text.indexOf(closing, start)
  if (end >= 0) {
    const marker = text.slice(start + opening.length, end)
    const fault = parseFault(marker)
    if (fault) return fault
    const error = `Unknown fault "${marker}". The README lists the faults.`
    throw new Refusal({ status: 400, body: { error } })
  }
  const at = model.lastIndexOf('@')
  return at < 0 ? undefined : parseFault(model.slice(at + 1))
}

export function dropMarkers(text: string): string {
  return text.includes(opening) ? text.replace(/\s*\[\[fault:.*?\]\]/gs, '') : text
}

const maxFailureCounts = 10_000
const failureKinds: Partial<Record<Fault['name'], Failure['kind']>> = {
  status: 'status',
  flaky: 'status',
  quota: 'quota',
  'too-long': 'too-long',
}

/**
 * Finds the fault of a call and applies the part that precedes the first byte: the latency, a wait, or an error, which
 * `refuse` presents. Returns the fault. The client may have disconnected by then.
 */
export async function startAnswer(
  state: ServerState,
  exchange: Exchange,
  { model, text, refuse }: { model: string; text: string; refuse: (failure: Failure) => Refusal },
): Promise<Fault | undefined> {
  const fault = findFault({ model, text })
  const { latencyMs } = state.settings
  const waitMs = fault?.name === 'slow' ? latencyMs + (fault.waitMs ?? 1000) : latencyMs
  if (waitMs > 0) await pause(exchange.response, waitMs)
  if (!fault) return undefined
  if (fault.name === 'hang') await closed(exchange.response)
  if (fault.name === 'flaky' && !countFailure(state, fault, `${exchange.path}\n${model}\n${text}`))
    return fault
  const kind = failureKinds[fault.name]
  if (kind) throw refuse({ kind, status: fault.status, model, retryAfterMs: fault.waitMs ?? 1000 })
  return fault
}

/** Whether a `flaky` fault fails once more. Counts the failure. */
function countFailure({ failures }: ServerState, fault: Fault, defaultKey: string): boolean {
  const key = fault.key ?? defaultKey
  const failed = failures.get(key) ?? 0
  if (failed >= (fault.count ?? 1)) return false
  if (failures.size >= maxFailureCounts) failures.clear()
  failures.set(key, failed + 1)
  return true
}
