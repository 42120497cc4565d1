import type { OutgoingHttpHeaders } from 'node:http'
import { closed, drained, type Exchange, pause } from './exchange.ts'
import type { Fault } from './faults.ts'

/** One piece of a stream: an SSE event, or bytes. */
type Frame = string | Uint8Array

export interface Answer {
  readonly status?: number
  readonly headers?: OutgoingHttpHeaders
  /** A string is sent unchanged, any other value as JSON. */
  readonly body: unknown
  /** The vendor's error that the fault `error-frame` sends with status 200. */
  readonly errorBody?: string
  readonly fault?: Fault | undefined
}

const brokenBody = '<html><body>Bad gateway</body></html>'

/** Sends a whole answer and applies its fault. The default content type is JSON. */
export async function sendWhole(exchange: Exchange, answer: Answer): Promise<void> {
  const { response } = exchange
  if (response.destroyed) return
  const { fault, errorBody } = answer
  const whole = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
  const bodies: Record<string, string | undefined> = { garbage: brokenBody, 'error-frame': errorBody }
  const body = Buffer.from(bodies[fault?.name ?? ''] ?? whole)
  response.writeHead(answer.status ?? 200, {
    'content-type': 'application/json',
    'content-length': body.length,
    ...answer.headers,
  })
  if (fault?.name === 'cut') {
    response.write(body.subarray(0, body.length / 2))
    return cutConnection(exchange)
  }
  response.end(body)
}

interface StreamedAnswer {
  readonly headers: OutgoingHttpHeaders
  readonly frames: Iterable<Frame>
  /** An unparsable frame, for the fault `garbage`. */
  readonly brokenFrame: Frame
  /** The vendor's error within a stream, for the fault `error-frame`. */
  readonly errorFrame: Frame
  readonly fault: Fault | undefined
}

/** Sends a stream frame by frame with back-pressure, and applies its fault. */
export async function sendStream(
  { settings }: { readonly settings: { readonly chunkDelayMs: number } },
  exchange: Exchange,
  answer: StreamedAnswer,
): Promise<void> {
  const { response } = exchange
  if (response.destroyed) return
  const { fault } = answer
  const delayMs = fault?.name === 'trickle' ? (fault.waitMs ?? 50) : settings.chunkDelayMs
  response.writeHead(200, answer.headers)
  await writeFrames(exchange, changeFrames(answer), { delayMs, isSplit: fault?.name === 'split' })
  if (fault?.name === 'stall') await closed(response)
  if (response.destroyed) return
  if (fault?.name === 'cut') cutConnection(exchange)
  else response.end()
}

/**
 * Writes frames with a delay between them until the client disconnects. Slices of frames are written in separate turns
 * of the event loop, so that they arrive as separate packets.
 */
async function writeFrames(
  { response }: Exchange,
  frames: Iterable<Frame>,
  { delayMs, isSplit = false }: { delayMs: number; isSplit?: boolean },
): Promise<void> {
  let isFirst = true
  for (const frame of frames) {
    if (!isFirst && (delayMs > 0 || isSplit)) await pause(response, delayMs)
    if (response.destroyed) return
    isFirst = false
    if (!response.write(frame)) await drained(response)
  }
}

/** Closes the connection in the middle of the answer, after the written bytes are sent. */
export function cutConnection({ response, call }: Exchange): void {
  if (call) call.cut = true
  response.socket?.destroySoon()
}

/** Yields the frames of a stream, changed by its fault. */
function* changeFrames({ frames, fault, brokenFrame, errorFrame }: StreamedAnswer): Iterable<Frame> {
  const count = fault?.count ?? 2
  const isEnding = ['cut', 'truncate', 'stall', 'error-frame'].includes(fault?.name ?? '')
  const changed = fault?.name === 'split' ? slice(frames, Math.max(1, fault.count ?? 7)) : frames
  let index = 0
  for (const frame of changed) {
    if (isEnding && index === count) break
    if (fault?.name === 'garbage' && index === count) yield brokenFrame
    yield frame
    index++
  }
  if (fault?.name === 'garbage' && index <= count) yield brokenFrame
  if (fault?.name === 'error-frame') yield errorFrame
}

function* slice(frames: Iterable<Frame>, sizeBytes: number): Iterable<Frame> {
  for (const frame of frames) {
    const bytes = Buffer.from(frame)
    for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.subarray(at, at + sizeBytes)
  }
}
