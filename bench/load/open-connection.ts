import { createConnection } from 'node:net'
import { isWhole } from './read-answer.ts'

export interface Connection {
  /** Sends a request; the one before must have been answered. */
  send(request: Buffer): void
  close(): void
}

/** Maximum silence of a server before the request fails, in milliseconds. */
const patienceMs = 10_000

/** A connection that is kept alive, read with as little work as finding the end of an answer takes. */
export function openConnection(
  port: number,
  hear: { answer(answer: Buffer): void; end(reason: string): void },
): Connection {
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
  let received: Buffer | undefined
  socket.on('data', data => {
    received = received ? Buffer.concat([received, data]) : data
    if (!isWhole(received)) return
    const answer = received
    received = undefined
    hear.answer(answer)
  })
  let reason = 'connection closed'
  socket.setTimeout(patienceMs, () => socket.destroy(new Error(`nothing heard for ${patienceMs} ms`)))
  socket.on('error', error => {
    reason = error.message
  })
  socket.on('close', () => hear.end(reason))
  return {
    send: request => void socket.write(request),
    close: () => socket.destroy(),
  }
}
