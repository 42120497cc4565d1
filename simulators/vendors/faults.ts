import {
  type Answer,
  ConnectionCut,
  closed,
  type Exchange,
  type Frame,
  pause,
  type Refusal,
  refuseWith,
} from '../server/exchange.ts'
import type { Simulator } from './simulator.ts'

/** The names of faults; every status from 400 to 599 is one too: `503`. README.md describes them. */
const faultNames = [
  ...(['slow', 'hang', 'flaky', 'quota', 'too-long', 'cut', 'truncate', 'stall', 'garbage'] as const),
  ...(['error-frame', 'trickle', 'split', 'no-usage', 'empty', 'blank', 'refusal'] as const),
  ...(['malformed-call', 'fail', 'stuck', 'takes', 'lost', 'poll', 'file', 'file-cut'] as const),
  ...(['file-hang', 'large', 'fewer'] as const),
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
  readonly kind: 'key' | 'status' | 'quota' | 'too-long'
  readonly status: number
  readonly model: string
  /** The delay after which the client should retry. */
  readonly retryAfterMs: number
}

export function statusFailure(status: number, model: string, retryAfterMs = 1000): Failure {
  return { kind: 'status', status, model, retryAfterMs }
}

/** Parses a marker like `slow;ms=200` or `503`. Returns undefined if the name or a number is invalid. */
function parseFault(marker: string): Fault | undefined {
  const [word = '', ...settings] = marker.replace(/\s/g, '').split(';')
  const isStatus = /^[45]\d\d$/.test(word)
  const name: Fault['name'] | undefined = isStatus ? 'status' : faultNames.find(known => known === word)
  const values = new Map(settings.map(text => text.split(/=(.*)/) as [string, string]))
  const numbers = ['n', 'ms', 'status'].map(setting => values.get(setting))
  if (!name || numbers.some(text => text !== undefined && !/^\d+$/.test(text))) return undefined
  const [count, waitMs, status] = numbers.map(text => (text === undefined ? undefined : Number(text)))
  return { name, count, waitMs, status: isStatus ? Number(word) : (status ?? 500), key: values.get('key') }
}

/**
 * Returns the fault that the last user message requests (`hello [[fault: slow;ms=200]]`), else the fault in the model name
 * (`gpt-sim@slow;ms=200`). Throws a `Refusal` if the message requests an unknown fault. In a model name it is ignored,
 * because some vendors use `@` in names.
 */
function findFault({ model, text }: { model: string; text: string }): Fault | undefined {
  const marker = [...text.matchAll(/\[\[fault:(.*?)\]\]/gs)].at(-1)?.[1]
  if (marker === undefined) return parseFault(/@([^@]*)$/.exec(model)?.[1] ?? '')
  const fault = parseFault(marker)
  if (!fault) throw refuseWith(400, `Unknown fault "${marker}". The README lists the faults.`)
  return fault
}

export function dropMarkers(text: string): string {
  return text.includes('[[fault:') ? text.replace(/\s*\[\[fault:.*?\]\]/gs, '') : text
}

/**
 * Finds the fault of a call and applies the part that precedes the first byte: the latency, a wait, or an error, which
 * `refuse` presents. Returns the fault. The client may have disconnected by then.
 */
export async function startAnswer(
  simulator: Simulator,
  exchange: Exchange,
  { model, text, refuse }: { model: string; text: string; refuse: (failure: Failure) => Refusal },
): Promise<Fault | undefined> {
  if (/(^|\.)missing-/.test(model)) throw refuse(statusFailure(404, model))
  const { latencyMs } = simulator.settings
  const fault = findFault({ model, text })
  const waitMs = fault?.name === 'slow' ? latencyMs + (fault.waitMs ?? 1000) : latencyMs
  if (waitMs > 0) await pause(exchange, waitMs)
  if (!fault) return undefined
  if (fault.name === 'hang') await closed(exchange)
  const key = fault.key ?? `${exchange.path}\n${model}\n${text}`
  if (fault.name === 'flaky' && !failsAgain(simulator, key, fault.count ?? 1)) return fault
  const kind = fault.name === 'flaky' ? 'status' : fault.name
  if (kind === 'status' || kind === 'quota' || kind === 'too-long')
    throw refuse({ kind, status: fault.status, model, retryAfterMs: fault.waitMs ?? 1000 })
  return fault
}

/** Counts a failure. Returns false if the key has failed `times` times already. */
export function failsAgain({ failures }: Simulator, key: string, times: number): boolean {
  const failed = failures.get(key) ?? 0
  if (failed < times) failures.set(key, failed + 1)
  return failed < times
}

/** The errors of a wire format that faults put into an answer. */
export interface FaultyParts {
  /** An unparsable frame, for the fault `garbage`. */
  readonly brokenFrame: Frame
  /** The vendor's error within a stream, for the fault `error-frame`. */
  readonly errorFrame: Frame
}

/** Applies the fault to a whole answer. `error` is the vendor's error for the fault `error-frame`. */
export function spoilBody(answer: Answer, fault: Fault | undefined, error?: unknown): Answer {
  if (fault?.name === 'garbage') return { ...answer, body: '<html><body>Bad gateway</body></html>' }
  if (fault?.name === 'error-frame' && error) return { ...answer, body: error }
  if (fault?.name !== 'cut') return answer
  const bytes = Buffer.from(JSON.stringify(answer.body))
  const headers = { ...answer.headers, 'content-length': bytes.length }
  return { ...answer, headers, frames: cutAfter(bytes.subarray(0, bytes.length / 2)) }
}

/** Yields the start of a body, then closes the connection. */
export function* cutAfter(start: Frame): Iterable<Frame> {
  yield start
  throw new ConnectionCut()
}

/** Yields the frames of a stream with the delays of the settings, changed by the fault. */
export async function* spoilFrames(
  { settings }: Simulator,
  exchange: Exchange,
  { frames, fault, parts }: { frames: Iterable<Frame>; fault: Fault | undefined; parts: FaultyParts },
): AsyncIterable<Frame> {
  const { name, count = 2, waitMs = 50 } = fault ?? {}
  const delayMs = name === 'trickle' ? waitMs : settings.chunkDelayMs
  const isEnding = name === 'cut' || name === 'truncate' || name === 'stall' || name === 'error-frame'
  let index = 0
  for (const frame of name === 'split' ? slice(frames, Math.max(1, fault?.count ?? 7)) : frames) {
    // Slices of frames are written in separate turns of the event loop, so that they arrive as separate packets.
    if (index > 0 && (delayMs > 0 || name === 'split')) await pause(exchange, delayMs)
    if (isEnding && index === count) break
    if (name === 'garbage' && index === count) yield parts.brokenFrame
    yield frame
    index++
  }
  if (name === 'garbage' && index <= count) yield parts.brokenFrame
  if (name === 'error-frame') yield parts.errorFrame
  if (name === 'stall') await closed(exchange)
  if (name === 'cut') throw new ConnectionCut()
}

function* slice(frames: Iterable<Frame>, sizeBytes: number): Iterable<Frame> {
  for (const frame of frames) {
    const bytes = Buffer.from(frame)
    for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.subarray(at, at + sizeBytes)
  }
}
