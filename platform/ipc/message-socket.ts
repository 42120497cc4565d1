import type { Socket } from 'node:net'

/** A connection between two processes of this machine that exchange messages. */
export interface MessageSocket<Sent> {
  /** Queues a message. All messages of one turn of the event loop are one write. */
  send(message: Sent): void
  /** The bytes that the other process has not yet read. */
  readonly queuedBytes: number
  /** Writes the queued messages and closes the connection. */
  end(): void
  /** Closes the connection at once. */
  destroy(error?: Error): void
}

/** Maximum length of a line, in bytes. A process that sends a longer one is disconnected. */
export const maxLineBytes = 16 << 20

/** Maximum number of messages in a line. */
const maxMessages = 64

const newline = 0x0a

/**
 * Exchanges messages over a socket. A line is a JSON array of messages. `receive` gets the messages of one line, and
 * `closed` is called once when the connection has ended. Lines that are too long or are not JSON end the connection,
 * as does an error that `receive` throws.
 */
export function openMessageSocket<Sent, Received>(
  socket: Socket,
  { receive, closed }: { receive(messages: Received[]): void; closed(error: Error | undefined): void },
): MessageSocket<Sent> {
  let queue: Sent[] = []
  let parts: Buffer[] = []
  let partBytes = 0
  let fault: Error | undefined

  function flush(): void {
    const messages = queue
    queue = []
    if (messages.length === 0 || !socket.writable) return
    if (messages.length <= maxMessages) return void socket.write(`${JSON.stringify(messages)}\n`)
    socket.cork()
    for (let from = 0; from < messages.length; from += maxMessages)
      socket.write(`${JSON.stringify(messages.slice(from, from + maxMessages))}\n`)
    socket.uncork()
  }

  function deliver(last: Buffer): void {
    const line = parts.length === 0 ? last : Buffer.concat([...parts, last])
    parts = []
    partBytes = 0
    const messages: Received[] = JSON.parse(line.toString())
    receive(messages)
  }

  function read(chunk: Buffer): void {
    let from = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      deliver(chunk.subarray(from, end))
      from = end + 1
    }
    if (from === chunk.length) return
    parts.push(chunk.subarray(from))
    partBytes += chunk.length - from
    if (partBytes > maxLineBytes) throw new Error(`a line is longer than ${maxLineBytes} bytes`)
  }

  socket.on('data', chunk => {
    if (socket.destroyed) return
    try {
      read(chunk)
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  })
  socket.on('error', error => {
    fault = error
  })
  socket.on('close', () => closed(fault))

  return {
    send(message) {
      if (queue.push(message) === 1) setImmediate(flush)
    },
    get queuedBytes() {
      return socket.writableLength
    },
    end() {
      flush()
      socket.end()
    },
    destroy: error => void socket.destroy(error),
  }
}
