import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { BodyRefused } from '../../platform/http/read-body.ts'
import { readForm } from '../../platform/http/read-form.ts'
import { aClient, type TestClient } from '../harness/a-client.ts'
import { theMediaEdge } from '../harness/media/a-media-edge.ts'
import { anyBody, anyForm, formType, type SentBody, unknownFile } from './any-body.ts'

const system = theMediaEdge({
  RATE_REQUESTS: '1000000',
  ALLOWANCES: 'requests=1000000/1000000,requests_in_flight=8/8',
})

test('any body is answered or refused, whatever its pieces are and whenever its client leaves', async () => {
  const faults: unknown[] = []
  const note = (fault: unknown) => void faults.push(fault)
  process.on('uncaughtException', note).on('unhandledRejection', note)
  onTestFinished(() => void process.off('uncaughtException', note).off('unhandledRejection', note))
  const [patient, impatient] = [await aClient(system()), await aClient(system())]
  await fc.assert(
    fc.asyncProperty(anyBody, async sent => {
      faults.length = 0
      const status = await send(sent, sent.leaves ? impatient : patient)
      if (!sent.leaves) expect(status).toBeOneOf([200, 400, 404, 413])
      expect(faults).toEqual([])
    }),
    { numRuns: 200, examples: [[unknownFile]] },
  )
})

test('the reading of any form ends, whichever of its files are refused', async () => {
  await fc.assert(
    fc.asyncProperty(anyForm, fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }), async (body, taken) => {
      const reading = readForm({ 'content-type': formType }, Readable.from([body]), {
        limits: { files: 3, fields: 3, fieldBytes: 1_000 },
        async onFile({ source }) {
          const isTaken = taken.shift()
          if (isTaken !== undefined) await buffer(source)
          if (!isTaken) throw new BodyRefused('invalid_request')
        },
      })
      await reading.catch(error => expect(error).toBeInstanceOf(BodyRefused))
    }),
    { numRuns: 1_000 },
  )
})

/** Sends a request, and resolves to the status of the answer, 0 if there is none. */
async function send(sent: SentBody, { text: key }: TestClient): Promise<number> {
  const { path, contentType, body, framing, pieces, leaves } = sent
  const { hostname, port } = new URL(system().edge.url)
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
