/** A request as far as this upstream cares. */
export interface ReadRequest {
  /** `POST /chat/completions HTTP/1.1` */
  line: string
  body: string
}

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = '0\r\n\r\n'

/** Returns the bytes of a whole request whose head has arrived and states a length. */
export function lengthOfRequest(received: Buffer): number | undefined {
  const end = received.indexOf(headEnd)
  const length =
    end < 0 ? undefined : /\r\ncontent-length: *(\d+)/i.exec(received.toString('latin1', 0, end + 2))
  return length ? end + headEnd.length + Number(length[1]) : undefined
}

/**
 * Reads one whole HTTP/1.1 request out of the bytes received; undefined until it is whole. Nothing is pipelined, so
 * a body in chunks is whole when it ends with the last chunk.
 */
export function readRequest(received: Buffer): ReadRequest | undefined {
  const end = received.indexOf(headEnd)
  if (end < 0) return undefined
  const head = received.toString('latin1', 0, end + 2)
  const body = received.toString('latin1', end + 4)
  const line = head.slice(0, head.indexOf('\r\n'))
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)
  const isWhole = length
    ? body.length >= Number(length[1])
    : !/\r\ntransfer-encoding: *chunked/i.test(head) || body.endsWith(lastChunk)
  return isWhole ? { line, body } : undefined
}
