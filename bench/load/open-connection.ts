import { createConnection } from 'node:net'

/** A keep-alive connection to a server. */
export interface HttpConnection {
  /** Sends a request. The previous one must have been answered. */
  send(request: Buffer): void
  close(): void
}

/** Maximum silence of a server before the request fails, in milliseconds. */
const timeoutMs = 10_000

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = '\r\n0\r\n\r\n'

/** Opens a keep-alive connection that does no more work than finding the end of a response. */
export function openConnection(
  port: number,
  on: { answer(answer: Buffer): void; end(reason: string): void },
): HttpConnection {
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
  let received: Buffer | undefined
  socket.on('data', data => {
    received = received ? Buffer.concat([received, data]) : data
    if (!isWhole(received)) return
    const answer = received
    received = undefined
    on.answer(answer)
  })
  let reason = 'connection closed'
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`nothing received for ${timeoutMs} ms`)))
  socket.on('error', error => {
    reason = error.message
  })
  socket.on('close', () => on.end(reason))
  return {
    send: request => void socket.write(request),
    close: () => socket.destroy(),
  }
}

/** Whether these bytes are one whole HTTP/1.1 response. Nothing is pipelined, so it ends where the bytes end. */
export function isWhole(received: Buffer): boolean {
  const end = received.indexOf(headEnd)
  if (end < 0) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.toString('latin1', 0, end))
  if (length) return received.length >= end + 4 + Number(length[1])
  return received.toString('latin1', received.length - lastChunk.length) === lastChunk
}
