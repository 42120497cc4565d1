import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { BodyRefused, defaultGraceMs, leastBytesPerMs } from './read-body.ts'

/**
 * The body of a request as it comes; a reader that stops leaves the rest to `answerUnread`. Errors with BodyRefused:
 * `unsupported_media_type` for a compressed one, `request_timeout` for one that comes too slowly, `invalid_request` for
 * one that is cut.
 */
export function streamBody(request: IncomingMessage, { graceMs = defaultGraceMs } = {}): Readable {
  return Readable.from(piecesOf(request, graceMs), { objectMode: false })
}

async function* piecesOf(request: IncomingMessage, graceMs: number): AsyncGenerator<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') {
    throw new BodyRefused('unsupported_media_type', 'Send the body as it is, without Content-Encoding.')
  }
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => {}) // whoever waits for a piece is told
  const startedAt = performance.now()
  let size = 0
  const hurry = () => {
    const leftMs = startedAt + graceMs + size / leastBytesPerMs - performance.now()
    if (leftMs > 0) timer = setTimeout(hurry, leftMs)
    else late.reject(new BodyRefused('request_timeout', 'The body came too slowly.'))
  }
  let timer = setTimeout(hurry, graceMs)
  const pieces = request.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      const { value, done } = await Promise.race([pieces.next().catch(cut), late.promise])
      if (done) return
      size += value.length
      yield value
    }
  } finally {
    clearTimeout(timer)
  }
}

function cut(cause: unknown): never {
  throw new BodyRefused('invalid_request', 'The body was cut.', { cause })
}
