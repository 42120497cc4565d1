import type { OutgoingHttpHeaders } from 'node:http'
import { closed, drained, type Exchange, pause, type ServerState } from './exchange.ts'
import type { Fault } from './faults.ts'

/** One piece of a stream: an SSE event, or bytes. */
type Frame = string | Uint8Array

interface WholeAnswer {
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
export async function sendWhole(exchange: Exchange, answer: WholeAnswer): Promise<void> {
  const { response } = exchange
  if (response.destroyed) return
  const { fault, errorBody } = answer
  const whole = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
  const body =
    fault?.name === 'garbage' ? brokenBody : fault?.name === 'error-frame' ? (errorBody ?? whole) : whole
  response.writeHead(answer.status ?? 200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...answer.headers,
  })
  if (fault?.name === 'cut') {
    response.write(Buffer.from(body).subarray(0, Buffer.byteLength(body) / 2))
    cutConnection(exchange)
  } else if (fault?.name === 'trickle') {
    const bytes = Buffer.from(body)
    const eighth = (index: number) => Math.floor((bytes.length * index) / 8)
    const pieces = Array.from({ length: 8 }, (_, index) => bytes.subarray(eighth(index), eighth(index + 1)))
    await writeFrames(exchange, pieces, { delayMs: fault.waitMs ?? 50 })
    response.end()
  } else {
    response.end(body)
  }
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
  state: ServerState,
  exchange: Exchange,
  answer: StreamedAnswer,
): Promise<void> {
  const { response } = exchange
  if (response.destroyed) return
  const { fault } = answer
  const delayMs = fault?.name === 'trickle' ? (fault.waitMs ?? 50) : state.settings.chunkDelayMs
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
  { response, call }: Exchange,
  frames: Iterable<Frame>,
  { delayMs, isSplit = false }: { delayMs: number; isSplit?: boolean },
): Promise<void> {
  let isFirst = true
  for (const frame of frames) {
    if (!isFirst && (delayMs > 0 || isSplit)) await pause(response, delayMs)
    if (response.destroyed) return
    isFirst = false
    if (call) call.frames++
    if (!response.write(frame)) await drained(response)
  }
}

/** Closes the connection in the middle of the answer, after the written bytes are sent. */
function cutConnection({ response, call }: Exchange): void {
  if (call) call.cut = true
  response.socket?.destroySoon()
}

/** Applies a fault to the frames of a stream. */
function changeFrames({ frames, fault, brokenFrame, errorFrame }: StreamedAnswer): Iterable<Frame> {
  const count = fault?.count ?? 2
  switch (fault?.name) {
    case 'cut':
    case 'truncate':
    case 'stall':
      return take(frames, count)
    case 'error-frame':
      return append(take(frames, count), errorFrame)
    case 'garbage':
      return insert(frames, count, brokenFrame)
    case 'split':
      return slice(frames, Math.max(1, fault.count ?? 7))
    default:
      return frames
  }
}

function* take(frames: Iterable<Frame>, count: number): Iterable<Frame> {
  let taken = 0
  if (count === 0) return
  for (const frame of frames) {
    yield frame
    if (++taken >= count) return
  }
}

function* append(frames: Iterable<Frame>, last: Frame): Iterable<Frame> {
  yield* frames
  yield last
}

function* insert(frames: Iterable<Frame>, after: number, inserted: Frame): Iterable<Frame> {
  let passed = 0
  for (const frame of frames) {
    if (passed++ === after) yield inserted
    yield frame
  }
  if (passed <= after) yield inserted
}

function* slice(frames: Iterable<Frame>, sizeBytes: number): Iterable<Frame> {
  for (const frame of frames) {
    const bytes = Buffer.from(frame)
    for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.subarray(at, at + sizeBytes)
  }
}
