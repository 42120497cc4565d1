import type { Socket } from 'node:net'
import type { Directions } from './directions.ts'
import type { ReadyAnswer } from './ready-answers.ts'

/** Sends an answer after a delay: at once, or its parts one by one. */
export function sendAnswer(socket: Socket, answer: ReadyAnswer, { latencyMs, everyMs }: Directions): void {
  const send =
    everyMs === 0 ? () => write(socket, answer.bytes) : () => sendSlowly(socket, answer.parts, everyMs)
  if (latencyMs === 0) send()
  else setTimeout(send, latencyMs)
}

function sendSlowly(socket: Socket, parts: readonly Buffer[], everyMs: number): void {
  let sent = 0
  const timer = setInterval(sendNext, everyMs)
  sendNext()

  function sendNext(): void {
    const part = parts[sent++]
    if (part) write(socket, part)
    if (sent >= parts.length || !socket.writable) clearInterval(timer)
  }
}

function write(socket: Socket, bytes: Buffer): void {
  if (socket.writable) socket.write(bytes)
}
