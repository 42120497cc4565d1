import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { SentBody } from './any-body.ts'

/** Collects the exceptions that nothing catches, until the test ends. */
export function catchFaults(): unknown[] {
  const faults: unknown[] = []
  const note = (fault: unknown) => void faults.push(fault)
  process.on('uncaughtException', note).on('unhandledRejection', note)
  onTestFinished(() => void process.off('uncaughtException', note).off('unhandledRejection', note))
  return faults
}

/** Sends a request over a new socket. Resolves to the status of the response, 0 if there is none. */
export async function sendBody(url: string, sent: SentBody, key: string): Promise<number> {
  const { path, contentType, body, framing, pieces, leaves } = sent
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).setNoDelay()
  let answer = ''
  socket.on('error', () => {}).on('data', part => (answer += part))
  const closed = new Promise(resolve => socket.once('close', resolve))
  await once(socket, 'connect')
  const length = framing === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${body.length}`
  const head = [`host: x`, `authorization: Bearer ${key}`, `content-type: ${contentType}`, length]
  socket.write(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\nconnection: close\r\n\r\n`)
  for (const piece of pieces) {
    if (piece.length > 0) socket.write(framing === 'chunked' ? chunkOf(piece) : piece)
    await nextTurn()
  }
  if (leaves) socket.destroy()
  else if (framing === 'chunked') socket.write('0\r\n\r\n')
  await closed
  return Number(/^HTTP\/1.1 (\d{3}) /.exec(answer)?.[1] ?? 0)
}

function chunkOf(piece: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
}
