import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { BodyRefused, defaultGraceMs, leastBytesPerMs } from './read-body.ts'

/**
 * Returns the body of a request as a stream. A reader that stops early destroys the stream and leaves the rest of the
 * body to `answerUnread`. The stream fails with BodyRefused: `unsupported_media_type` for a compressed body,
 * `request_timeout` for one that arrives too slowly, `invalid_request` for one that is cut off. A failure that no reader
 * listens for is ignored.
 */
export function streamBody(request: IncomingMessage, { graceMs = defaultGraceMs } = {}): Readable {
  let startedAt: number | undefined
  let timer: NodeJS.Timeout | undefined
  let size = 0

  const body = new Readable({
    read() {
      if (startedAt === undefined) start()
      request.resume()
    },
    destroy(error, done) {
      clearTimeout(timer)
      request.pause().off('data', take).off('end', end).off('error', cut).off('close', cut)
      done(error)
    },
  })
  body.on('error', () => {})
  return body

  function start(): void {
    startedAt = performance.now()
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') {
      const message = 'Send the body as it is, without Content-Encoding.'
      fail(new BodyRefused('unsupported_media_type', message))
    } else if (request.destroyed) cut()
    else {
      request.on('data', take).on('end', end).on('error', cut).on('close', cut)
      checkSpeed()
    }
  }

  function take(piece: Buffer): void {
    size += piece.length
    if (!body.push(piece)) request.pause()
  }

  function end(): void {
    clearTimeout(timer)
    request.off('close', cut)
    body.push(null)
  }

  function checkSpeed(): void {
    const leftMs = (startedAt ?? 0) + graceMs + size / leastBytesPerMs - performance.now()
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
