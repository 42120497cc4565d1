import type { IncomingMessage } from 'node:http'
import { takeTurn } from '../byte-turns.ts'

/** Shorter delays are left out, in milliseconds. */
const shortestMs = 2

/**
 * Pauses a request after each part of its body for as long as `delayMs` says, and until its next turn (`byte-turns.ts`).
 * Begins to read the body: call it together with the reader, or when the body is to be discarded.
 */
export function paceReading(request: IncomingMessage, delayMs: (bytes: number) => number): void {
  const resume = () => void request.resume()
  request.on('data', (part: Buffer) => {
    const waitMs = delayMs(part.length)
    if (waitMs >= shortestMs) setTimeout(resume, waitMs)
    else if (takeTurn(part.length, resume)) return
    request.pause()
  })
}
