import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { maxLineBytes, openMessageSocket } from './message-socket.ts'

/** A socket and the other end of its connection. */
async function aPair(): Promise<[Socket, Socket]> {
  const folder = await mkdtemp(join(tmpdir(), 'message-socket-'))
  const path = join(folder, 's')
  const server = createServer()
  server.listen(path)
  await once(server, 'listening')
  const one = connect(path)
  const [other] = await once(server, 'connection')
  onTestFinished(async () => {
    one.destroy()
    other.destroy()
    server.close()
    await rm(folder, { recursive: true })
  })
  return [one, other]
}

/** Collects the lines that a socket receives, until it is closed. */
function collect(socket: Socket) {
  const lines: unknown[][] = []
  const closed = Promise.withResolvers<Error | undefined>()
  openMessageSocket<never, unknown>(socket, {
    receive: messages => void lines.push(messages),
    closed: error => closed.resolve(error),
  })
  return { lines, closed: closed.promise }
}

test('messages arrive whole and in order; those of one turn share a line of at most 64', async () => {
  const [one, other] = await aPair()
  const { lines, closed } = collect(other)
  const sender = openMessageSocket<unknown, never>(one, { receive() {}, closed() {} })
  const texts = Array.from({ length: 130 }, (_, at) => `${at} \n é 🎈 ${'x'.repeat(at * 50)}`)
  for (const text of texts) sender.send(text)
  await new Promise(resolve => setImmediate(resolve))
  sender.send('last')
  sender.end()
  expect(await closed).toBeUndefined()
  expect(lines.flat()).toEqual([...texts, 'last'])
  expect(lines.map(({ length }) => length)).toEqual([64, 64, 2, 1])
})

test('lines that arrive in any pieces are read whole', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 40 }),
      async (sent, size) => {
        const [one, other] = await aPair()
        const { lines, closed } = collect(other)
        const bytes = Buffer.from(sent.map(line => `${JSON.stringify(line)}\n`).join(''))
        for (let from = 0; from < bytes.length; from += size) one.write(bytes.subarray(from, from + size))
        one.end()
        await closed
        expect(lines).toEqual(sent)
      },
    ),
    { numRuns: 20 },
  )
})

test.each([
  ['is too long', 'x'.repeat(maxLineBytes + 1), 'longer than'],
  ['is not JSON', '{]\n', 'JSON'],
])('a line that %s ends the connection', async (_, text, reason) => {
  const [one, other] = await aPair()
  one.on('error', () => {}) // the rest of the line cannot be sent
  const { lines, closed } = collect(other)
  one.write(text)
  expect((await closed)?.message).toContain(reason)
  expect(lines).toEqual([])
})
