/** A request as far as this upstream cares. */
export interface ReadRequest {
  /** `POST /chat/completions HTTP/1.1` */
  line: string
  /** The body, or the beginning and the end of a long one. */
  body: string
}

/** Number of bytes that are read at each end of a long body. The directions for the upstream are within them. */
const readBytes = 65_536

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

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
  const line = head.slice(0, head.indexOf('\r\n'))
  const body = received.subarray(end + headEnd.length)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)
  const isWhole = length
    ? body.length >= Number(length[1])
    : !/\r\ntransfer-encoding: *chunked/i.test(head) || body.subarray(-lastChunk.length).equals(lastChunk)
  return isWhole ? { line, body: endsOf(body) } : undefined
}

function endsOf(body: Buffer): string {
  if (body.length <= 2 * readBytes) return body.toString('latin1')
  return body.toString('latin1', 0, readBytes) + body.toString('latin1', body.length - readBytes)
}
