import type { IncomingMessage } from 'node:http'

/** Shorter delays are left out, in milliseconds. */
const shortestMs = 2

/**
 * Pauses a request after each part of its body for as long as `delayMs` says. Begins to read the body: call it together
 * with the reader, or when the body is to be discarded.
 */
export function paceReading(request: IncomingMessage, delayMs: (bytes: number) => number): void {
  request.on('data', (part: Buffer) => {
    const waitMs = delayMs(part.length)
    if (waitMs < shortestMs) return
    request.pause()
    setTimeout(() => request.resume(), waitMs)
  })
}
