import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** The slowest rate at which a client may read on average, once `graceMs` have passed. */
const minBytesPerMs = 16.384
const graceMs = 60_000

/**
 * Sends a file as the body of a response whose head is set, as fast as its client reads. A client that reads nothing for
 * `stalledMs`, or less than 16 kB a second, is cut. Resolves to whether all of it was sent; never rejects.
 */
export async function sendFile(
  response: ServerResponse,
  file: Readable,
  { bytes, stalledMs }: { bytes: number; stalledMs: number },
): Promise<boolean> {
  const deadline = performance.now() + graceMs + bytes / minBytesPerMs
  let [written, movedAt] = [-1, performance.now()]
  const watch = setInterval(() => {
    const now = performance.now()
    const count = response.socket?.bytesWritten ?? 0
    if (count !== written) [written, movedAt] = [count, now]
    if (now - movedAt > stalledMs || now > deadline) response.destroy()
  }, stalledMs / 4)
  try {
    await pipeline(file, response)
    return true
  } catch {
    response.destroy()
    return false
  } finally {
    clearInterval(watch)
  }
}
