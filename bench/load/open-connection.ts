import { createConnection, type Socket } from 'node:net'

/** A keep-alive connection to a server. */
export interface HttpConnection {
  /** Sends a request. The previous one must have been answered. */
  send(request: Buffer): void
  close(): void
}

/** Maximum silence of a server before the request fails, in milliseconds. */
const timeoutMs = 30_000

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = '\r\n0\r\n\r\n'

/**
 * Opens a keep-alive connection that does no more work than finding the end of a response. If a response ends it, the next
 * request opens another one.
 */
export function openConnection(
  port: number,
  on: { answer(answer: Buffer): void; end(reason: string): void },
): HttpConnection {
  let socket: Socket | undefined = open()
  return {
    send(request) {
      socket ??= open()
      socket.write(request)
    },
    close: () => (socket ? void socket.destroy() : on.end('closed')),
  }

  function open(): Socket {
    const opened = createConnection({ port, host: '127.0.0.1', noDelay: true })
    let received: Buffer | undefined
    opened.on('data', data => {
      received = received ? Buffer.concat([received, data]) : data
      if (!isWhole(received)) return
      const answer = received
      received = undefined
      if (endsConnection(answer)) {
        socket = undefined
        opened.destroy()
      }
      on.answer(answer)
    })
    let reason = 'connection closed'
    opened.setTimeout(timeoutMs, () => opened.destroy(new Error(`nothing received for ${timeoutMs} ms`)))
    opened.on('error', error => {
      reason = error.message
    })
    opened.on('close', () => {
      if (opened === socket) on.end(reason)
    })
    return opened
  }
}

/** Whether the server closes the connection after this response. */
function endsConnection(answer: Buffer): boolean {
  return /\r\nconnection: *close\r\n/i.test(answer.toString('latin1', 0, answer.indexOf(headEnd) + 2))
}

/** Whether these bytes are one whole HTTP/1.1 response. Nothing is pipelined, so it ends where the bytes end. */
export function isWhole(received: Buffer): boolean {
  const end = received.indexOf(headEnd)
  if (end < 0) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.toString('latin1', 0, end))
  if (length) return received.length >= end + 4 + Number(length[1])
  return received.toString('latin1', received.length - lastChunk.length) === lastChunk
}
