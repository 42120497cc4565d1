import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { BodyRefused, defaultGraceMs, minBytesPerMs } from './read-body.ts'

/** Minimum delay, in milliseconds. Shorter ones are skipped. */
const shortestDelayMs = 2

interface StreamOptions {
  /** Grace time before the body must arrive at the slowest rate, in milliseconds. */
  graceMs?: number
  /** Returns the delay after which the body is read further, in milliseconds. Called with the length of each piece. */
  delayMs?: (bytes: number) => number
}

/**
 * Returns the body of a request as a stream. A reader that stops early destroys the stream and leaves the rest of the
 * body to `endUnread`. The stream fails with BodyRefused: `unsupported_media_type` for a compressed body,
 * `request_timeout` for a body that arrives too slowly, `invalid_request` for an incomplete one. A failure without
 * a listener is ignored.
 */
export function streamBody(
  request: IncomingMessage,
  { graceMs = defaultGraceMs, delayMs }: StreamOptions = {},
): Readable {
  let startedAt: number | undefined
  let timer: NodeJS.Timeout | undefined
  let delay: NodeJS.Timeout | undefined
  let isWanted = false
  let size = 0

  const body = new Readable({
    read() {
      if (startedAt === undefined) start()
      isWanted = true
      if (!delay) request.resume()
    },
    destroy(error, done) {
      clearTimeout(timer)
      clearTimeout(delay)
      request.pause().off('data', take).off('end', end).off('error', cut).off('close', cut)
      done(error)
    },
  })
  body.on('error', () => {})
  return body

  function start(): void {
    startedAt = performance.now()
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
      const message = 'Send the body uncompressed, without Content-Encoding.'
      fail(new BodyRefused('unsupported_media_type', message))
    } else if (request.destroyed) cut()
    else {
      request.on('data', take).on('end', end).on('error', cut).on('close', cut)
      checkSpeed()
    }
  }

  function take(piece: Buffer): void {
    size += piece.length
    isWanted = body.push(piece)
    const waitMs = delayMs?.(piece.length) ?? 0
    if (!isWanted || waitMs >= shortestDelayMs) request.pause()
    if (waitMs >= shortestDelayMs) delay = setTimeout(resumeReading, waitMs)
  }

  function resumeReading(): void {
    delay = undefined
    if (isWanted) request.resume()
  }

  function end(): void {
    clearTimeout(timer)
    request.off('close', cut)
    body.push(null)
  }

  function checkSpeed(): void {
    const leftMs = (startedAt ?? 0) + graceMs + size / minBytesPerMs - performance.now()
    if (leftMs > 0) timer = setTimeout(checkSpeed, leftMs)
    else fail(new BodyRefused('request_timeout', 'The body came too slowly.'))
  }

  function cut(cause?: unknown): void {
    fail(new BodyRefused('invalid_request', 'The body was cut.', { cause }))
  }

  function fail(refusal: BodyRefused): void {
    body.destroy(refusal)
  }
}
