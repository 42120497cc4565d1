import type { IncomingMessage } from 'node:http'

/** Limits of a body besides its size. */
interface BodyLimits {
  /** Maximum time in which it arrives, in milliseconds, plus one second for each 64 kB. */
  graceMs?: number
  /**
   * Receives the number of bytes before they are kept: all of them if the length is known, or else each chunk. May throw.
   */
  take?: (bytes: number) => void
}

export const defaultGraceMs = 20_000

/** Minimum rate at which a body arrives after `graceMs`. */
export const minBytesPerMs = 65.536

/** Minimum known length from which a body is collected in a single buffer, in bytes. */
const gatheredFromBytes = 65_536

/**
 * Reads the whole body of a request, at most `limitBytes`. A longer body is discarded while it arrives: respond with
 * `endUnread`. Throws BodyRefused: `body_too_large`, `unsupported_media_type` for a compressed body, `invalid_request`
 * for an incomplete body, `request_timeout` for a body that arrives too slowly.
 */
export async function readBody(
  request: IncomingMessage,
  limitBytes: number,
  { graceMs = defaultGraceMs, take }: BodyLimits = {},
): Promise<Buffer> {
  const length = beginBody(request, limitBytes, take)
  if (length !== undefined && hasArrived(request)) return request.read() ?? nothing

  const gathered = openGathering(length)
  let size = 0
  await new Promise<void>((resolve, reject) => {
    const startedAt = performance.now()
    const collect = (part: Buffer) => {
      size += part.length
      try {
        if (size > limitBytes) throw tooLarge(limitBytes)
        if (length === undefined) take?.(part.length)
        gathered.add(part)
      } catch (error) {
        refuse(error)
      }
    }
    const checkRate = () => {
      const leftMs = startedAt + graceMs + size / minBytesPerMs - performance.now()
      if (leftMs > 0) timer = setTimeout(checkRate, leftMs)
      else refuse(tooSlow())
    }
    /** Discards the rest of the body, which `take` does not count. */
    const refuse = (error: unknown) => {
      gathered.drop()
      request.off('data', collect).resume()
      over(() => reject(error))
    }
    const over = (end: () => void) => {
      clearTimeout(timer)
      end()
    }
    let timer = setTimeout(checkRate, graceMs)
    request.on('data', collect)
    request.on('end', () => over(resolve))
    request.on('error', cause => over(() => reject(cut(cause))))
    request.on('close', () => request.complete || over(() => reject(cut())))
  })
  return gathered.whole()
}

/**
 * The whole body of a request where all of it has arrived (`hasArrived`), with its length. Throws as `readBody` does.
 */
export function readArrived(
  request: IncomingMessage,
  limitBytes: number,
  { take }: Pick<BodyLimits, 'take'> = {},
): Buffer {
  beginBody(request, limitBytes, take)
  return request.read() ?? nothing
}

/** Its length; undefined where that is not known. Throws what is known to be wrong before it is read. */
function beginBody(
  request: IncomingMessage,
  limitBytes: number,
  take: BodyLimits['take'],
): number | undefined {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') {
    throw new BodyRefused('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.')
  }
  const length = lengthOf(request)
  if (length !== undefined && length > limitBytes) throw tooLarge(limitBytes)
  if (request.destroyed) throw cut()
  if (length !== undefined) take?.(length)
  return length
}

/** Returns whether a request's whole body has arrived and can be read without waiting. */
export function hasArrived(request: IncomingMessage): boolean {
  return request.complete && !request.readableEnded && !request.readableFlowing
}

/** Returns the `Content-Length` of a request, or undefined if its body is chunked. */
export function lengthOf({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined
  return Number(headers['content-length'] ?? 0)
}

const nothing = Buffer.alloc(0)

/**
 * Collects a body until `whole` returns it, in a single buffer if its length is known, so that it is copied once.
 */
function openGathering(length: number | undefined) {
  if (length === undefined || length < gatheredFromBytes) {
    const parts: Buffer[] = []
    return {
      add: (part: Buffer) => void parts.push(part),
      drop: () => void parts.splice(0),
      whole() {
        const [first, ...others] = parts.splice(0)
        return first && others.length === 0 ? first : Buffer.concat(first ? [first, ...others] : [])
      },
    }
  }
  let block = Buffer.from(new ArrayBuffer(length)) // its pages are allocated when they are written
  let at = 0
  return {
    add(part: Buffer) {
      at += part.copy(block, at)
    },
    drop() {
      block = nothing
    },
    whole() {
      const body = block
      block = nothing
      return body
    },
  }
}

function tooLarge(limitBytes: number): BodyRefused {
  return new BodyRefused('body_too_large', `The body is larger than ${limitBytes} bytes.`)
}

function tooSlow(): BodyRefused {
  return new BodyRefused('request_timeout', 'The body came too slowly.')
}

function cut(cause?: unknown): BodyRefused {
  return new BodyRefused('invalid_request', 'The body was cut.', { cause })
}

/**
 * The reason why a body is refused. The name is that error's name in the catalogue, which this folder does not import.
 */
export class BodyRefused extends Error {
  readonly errorName:
    | 'body_too_large'
    | 'unsupported_media_type'
    | 'request_timeout'
    | 'invalid_request'
    | 'invalid_json'

  constructor(errorName: BodyRefused['errorName'], message?: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BodyRefused'
    this.errorName = errorName
  }
}
