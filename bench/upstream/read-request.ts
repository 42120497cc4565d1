/** A request, as far as the upstream needs it. */
export interface ReadRequest {
  /** `POST /chat/completions HTTP/1.1` */
  line: string
  /** The body, or the start and the end of a long one. */
  body: string
}

/** Number of bytes that are read at each end of a long body. The directions for the upstream are within them. */
const readBytes = 65_536

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

/** Parses an HTTP/1.1 request. Returns the minimum number of its bytes if more are missing. Nothing is pipelined. */
export function readRequest(received: Buffer): ReadRequest | number {
  const end = received.indexOf(headEnd)
  if (end < 0) return received.length + 1
  const head = received.toString('latin1', 0, end + 2)
  const body = received.subarray(end + headEnd.length)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length && body.length < Number(length)) return end + headEnd.length + Number(length)
  const isChunked = !length && /\r\ntransfer-encoding: *chunked/i.test(head)
  if (isChunked && !body.subarray(-lastChunk.length).equals(lastChunk)) return received.length + 1
  return { line: head.slice(0, head.indexOf('\r\n')), body: endsOf(body) }
}

function endsOf(body: Buffer): string {
  if (body.length <= 2 * readBytes) return body.toString('latin1')
  return body.toString('latin1', 0, readBytes) + body.toString('latin1', body.length - readBytes)
}
