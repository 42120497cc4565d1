const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = '\r\n0\r\n\r\n'

/** Whether these bytes are one whole HTTP/1.1 answer. Nothing is pipelined, so an answer ends where the bytes end. */
export function isWhole(received: Buffer): boolean {
  const end = received.indexOf(headEnd)
  if (end < 0) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.toString('latin1', 0, end))
  if (length) return received.length >= end + 4 + Number(length[1])
  return received.toString('latin1', received.length - lastChunk.length) === lastChunk
}

/** The three digits of `HTTP/1.1 200 OK`. */
export function statusOf(answer: Buffer): string {
  return answer.toString('latin1', 9, 12)
}
