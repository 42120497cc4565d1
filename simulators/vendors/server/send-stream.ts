import type { OutgoingHttpHeaders } from 'node:http'
import type { Fault } from '../faults/fault.ts'
import { spoilFrames } from '../faults/spoil-frames.ts'
import type { Simulator } from '../simulator.ts'
import type { Exchange } from './exchange.ts'
import { closed, drained, pause } from './wait.ts'

/** One piece of a stream as it goes on the wire: a whole SSE event, or a whole binary message. */
export type Frame = string | Uint8Array

export interface StreamedAnswer {
  readonly headers: OutgoingHttpHeaders
  readonly frames: Iterable<Frame>
  /** A frame that no client can parse, for the fault `garbage`. */
  readonly brokenFrame: Frame
  /** How the vendor says in the middle of a stream that it failed, for the fault `error-frame`. */
  readonly errorFrame: Frame
}

/** Sends a stream frame by frame, no faster than the client reads, as slowly and as wrongly as the fault says. */
export async function sendStream(
  simulator: Simulator,
  exchange: Exchange,
  answer: StreamedAnswer & { readonly fault: Fault | undefined },
): Promise<void> {
  const { response } = exchange
  if (response.destroyed) return
  const { fault } = answer
  const delayMs = fault?.name === 'trickle' ? (fault.waitMs ?? 50) : simulator.settings.chunkDelayMs
  response.writeHead(200, answer.headers)
  await writeFrames(exchange, spoilFrames(answer.frames, answer), {
    delayMs,
    isSplit: fault?.name === 'split',
  })
  if (fault?.name === 'stall') await closed(response)
  if (response.destroyed) return
  if (fault?.name === 'cut') cutConnection(exchange)
  else response.end()
}

/**
 * Writes frames with the time between them, and stops once the client has left.
 * Split frames leave one at a time even without a delay, so that they arrive as they were split.
 */
export async function writeFrames(
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
export function cutConnection({ response, call }: Exchange): void {
  if (call) call.cut = true
  response.socket?.destroySoon()
}
