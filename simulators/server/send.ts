import type { OutgoingHttpHeaders } from 'node:http'
import { closed, drained, type Exchange, pause, type ServerState } from './exchange.ts'
import type { Fault } from './faults.ts'

/** One piece of a stream as it goes on the wire: a whole SSE event, or bytes. */
type Frame = string | Uint8Array

interface WholeAnswer {
  readonly status?: number
  readonly headers?: OutgoingHttpHeaders
  readonly body: string
  /** The vendor's error under status 200, for the fault `error-frame`. */
  readonly errorBody?: string
  readonly fault?: Fault | undefined
}

const brokenBody = '<html><body>Bad gateway</body></html>'

/** Sends an answer in one piece, changed as its fault requests. It is JSON unless its headers say otherwise. */
export async function sendWhole(exchange: Exchange, answer: WholeAnswer): Promise<void> {
  const { response } = exchange
  if (response.destroyed) return
  const { fault, errorBody = answer.body } = answer
  const body =
    fault?.name === 'garbage' ? brokenBody : fault?.name === 'error-frame' ? errorBody : answer.body
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
  /** A frame that no client can parse, for the fault `garbage`. */
  readonly brokenFrame: Frame
  /** How the vendor reports an error in the middle of a stream, for the fault `error-frame`. */
  readonly errorFrame: Frame
  readonly fault: Fault | undefined
}

/** Sends a stream frame by frame, no faster than the client reads, changed as its fault requests. */
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
 * Writes frames with the delay between them, and stops once the client has left.
 * Split frames leave one at a time even without a delay, so that they arrive as they were split.
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

/** Breaks the connection once what was written is out, with the answer unfinished. */
function cutConnection({ response, call }: Exchange): void {
  if (call) call.cut = true
  response.socket?.destroySoon()
}

/** A stream's frames as its fault leaves them: fewer, with an error or a broken frame among them, or in slices. */
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
