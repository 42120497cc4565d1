import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { partsByTurns } from '../byte-turns.ts'

/** Minimum average rate at which a client reads after `graceMs`. */
const minBytesPerMs = 16.384
const graceMs = 60_000

/**
 * Sends a file as the body of a response whose head is set, as fast as the client reads. A client that reads nothing
 * for `stalledMs`, or less than 16 kB per second, is disconnected. Resolves to whether the whole file was sent. Never
 * rejects.
 */
export async function sendFile(
  response: ServerResponse,
  file: Readable,
  sending: { bytes: number; stalledMs: number },
): Promise<boolean> {
  const stopWatching = cutSlowReader(response, sending)
  try {
    await pipeline(file, response)
    return true
  } catch {
    response.destroy()
    return false
  } finally {
    stopWatching()
  }
}

/** Sends a long body that is in memory, in the same way. */
export function sendBytes(
  response: ServerResponse,
  body: Buffer,
  { stalledMs }: { stalledMs: number },
): Promise<boolean> {
  const parts = Readable.from(partsByTurns(body), { objectMode: false })
  return sendFile(response, parts, { bytes: body.length, stalledMs })
}

/**
 * Waits until a response that has ended is sent, or its client is disconnected. Disconnects slow clients like
 * `sendFile`.
 */
export async function untilSent(
  response: ServerResponse,
  sending: { bytes: number; stalledMs: number },
): Promise<void> {
  const stopWatching = cutSlowReader(response, sending)
  await new Promise<void>(resolve => {
    if (response.writableFinished || response.destroyed) resolve()
    response.once('finish', resolve).once('close', resolve)
  })
  stopWatching()
}

/** Disconnects a client that reads too slowly. Returns the function that stops the check. */
function cutSlowReader(
  response: ServerResponse,
  { bytes, stalledMs }: { bytes: number; stalledMs: number },
): () => void {
  const deadline = performance.now() + graceMs + bytes / minBytesPerMs
  let [written, movedAt] = [-1, performance.now()]
  const watch = setInterval(() => {
    const now = performance.now()
    const count = response.socket?.bytesWritten ?? 0
    if (count !== written) [written, movedAt] = [count, now]
    if (now - movedAt > stalledMs || now > deadline) response.destroy()
  }, stalledMs / 4)
  return () => clearInterval(watch)
}
