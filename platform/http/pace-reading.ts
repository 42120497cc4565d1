import type { IncomingMessage } from 'node:http'
import { takeTurn } from '../byte-turns.ts'

/** Minimum delay, in milliseconds. Shorter ones are skipped. */
const shortestMs = 2

/**
 * Pauses a request after each part of its body for the time that `delayMs` returns, and until its next turn
 * (`byte-turns.ts`). It starts to read the body, so call it together with the reader, or to discard the body.
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
