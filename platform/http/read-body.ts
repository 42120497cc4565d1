import type { IncomingMessage } from 'node:http'
import { BodyRefused } from './body-refused.ts'

/**
 * The whole body of a request, of at most `limitBytes`. What goes beyond is thrown away as it comes: answer it with
 * `answerUnread`. Throws BodyRefused: `body_too_large`, `unsupported_media_type` for a compressed one,
 * `invalid_request` for one that is cut.
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') {
    throw new BodyRefused('unsupported_media_type', 'Send the body as it is, without Content-Encoding.')
  }
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
  if (request.destroyed) throw cut()
  const parts: Buffer[] = []
  let size = 0
  await new Promise<void>((resolve, reject) => {
    const collect = (part: Buffer) => {
      size += part.length
      if (size <= limitBytes) return void parts.push(part)
      parts.length = 0
      request.off('data', collect).resume()
      reject(tooLarge(limitBytes))
    }
    request.on('data', collect)
    request.on('end', resolve)
    request.on('error', cause => reject(cut(cause)))
    request.on('close', () => reject(cut()))
  })
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
}

function tooLarge(limitBytes: number): BodyRefused {
  return new BodyRefused('body_too_large', `The body is larger than ${limitBytes} bytes.`)
}

function cut(cause?: unknown): BodyRefused {
  return new BodyRefused('invalid_request', 'The body was cut.', { cause })
}
