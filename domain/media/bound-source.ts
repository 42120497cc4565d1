import { Readable } from 'node:stream'

/** The refusal of a file that must not be stored. The message completes "the file …". */
export class MediaRefused extends Error {
  readonly reason: 'too_large' | 'not_media' | 'cut_short'

  constructor(reason: MediaRefused['reason'], message: string) {
    super(message)
    this.name = 'MediaRefused'
    this.reason = reason
  }
}

/** A source that must be read only through these members. */
export interface BoundSource {
  /** The first bytes of the source. */
  head: Buffer
  /** The whole content, including the first bytes, for one reader. Fails with MediaRefused beyond `maxBytes`. */
  body: Readable
  /** The number of bytes that were read so far. */
  bytes(): number
  /** Returns the error or refusal of the source, which the reader received too. */
  failure(): unknown
}

/**
 * Reads the first `headBytes` of a source, or all of it if it is shorter, and limits the rest. `exactBytes` is the
 * length that the sender declared. Rejects with the source's error, or with MediaRefused.
 */
export async function boundSource(
  source: Readable,
  bounds: { headBytes: number; maxBytes: number; exactBytes: number | undefined },
): Promise<BoundSource> {
  const { maxBytes, exactBytes = maxBytes } = bounds
  let [bytes, failure] = [0, undefined as unknown]
  const iterator = source[Symbol.asyncIterator]()
  const next = async (): Promise<Buffer | undefined> => {
    const { value, done } = await iterator.next()
    if (done) {
      if (bounds.exactBytes !== undefined && bytes < exactBytes) throw cutShort
      return undefined
    }
    const chunk = Buffer.isBuffer(value) ? value : Buffer.from(value)
    bytes += chunk.length
    if (bytes > maxBytes) throw new MediaRefused('too_large', `has more than ${maxBytes} bytes`)
    if (bytes > exactBytes) throw new MediaRefused('cut_short', 'is longer than its sender declared')
    return chunk
  }
  try {
    const head = await readHead(next, bounds.headBytes)
    const body = Readable.from(readOn(head), { objectMode: false })
    return { head, body, bytes: () => bytes, failure: () => failure }
  } catch (error) {
    source.destroy()
    throw error
  }

  async function* readOn(head: Buffer): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head
      for (let chunk = await next(); chunk; chunk = await next()) yield chunk
    } catch (error) {
      failure = error
      throw error
    } finally {
      source.destroy()
    }
  }
}

const cutShort = new MediaRefused('cut_short', 'ended before the length that its sender declared')

async function readHead(next: () => Promise<Buffer | undefined>, headBytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let length = 0; length < headBytes; ) {
    const chunk = await next()
    if (!chunk) break
    parts.push(chunk)
    length += chunk.length
  }
  const [first] = parts
  return parts.length === 1 && first ? first : Buffer.concat(parts) // a file that is stored completely is not copied
}
