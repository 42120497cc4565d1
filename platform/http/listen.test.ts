import { createServer } from 'node:http'
import { createConnection, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from './listen.ts'

test.runIf(process.platform === 'linux')(
  'a turn of the event loop accepts several connections where that is asked for',
  async () => {
    const turns = await turnsToAccept(64, 16)
    expect(turns).toBeLessThan(32)
    expect(await turnsToAccept(64, 1)).toBeGreaterThan(turns)
  },
)

test('connections of every listening socket are served, drained and cut; then the port is free', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/endless') response.writeHead(200).write('a')
    else response.end('whole')
  })
  const { url, drain } = await listen(server, { host: '127.0.0.1', port: 0, acceptsPerTurn: 8 })
  const answers = await Promise.all(Array.from({ length: 30 }, () => fetch(url)))
  for (const answer of answers) expect(await answer.text()).toBe('whole')
  const endless = await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/endless`)))
  const texts = endless.map(answer => answer.text().catch(() => 'cut'))
  await drain(50)
  expect(new Set(await Promise.all(texts))).toEqual(new Set(['cut']))
  const again = await listen(createServer(), { host: '127.0.0.1', port: Number(new URL(url).port) })
  await again.drain(0)
})

test('a port that somebody shares already cannot be had', async () => {
  const at = { host: '127.0.0.1', port: 0, acceptsPerTurn: 2 }
  const { url, drain } = await listen(createServer(), at)
  onTestFinished(() => drain(0))
  const port = Number(new URL(url).port)
  await expect(listen(createServer(), { ...at, port })).rejects.toThrow('EADDRINUSE')
})

/** Returns the number of turns in which the waiting connections are accepted. */
async function turnsToAccept(connections: number, acceptsPerTurn: number): Promise<number> {
  const server = createServer()
  let accepted = 0
  server.on('connection', () => accepted++)
  const { url, drain } = await listen(server, { host: '127.0.0.1', port: 0, acceptsPerTurn })
  const port = Number(new URL(url).port)
  const sockets: Socket[] = []
  for (let opened = 0; opened < connections; opened++)
    sockets.push(createConnection(port, '127.0.0.1').on('error', () => {}))
  let turns = 0
  while (accepted < connections && turns < 10_000) {
    turns++
    await new Promise(setImmediate)
  }
  for (const socket of sockets) socket.destroy()
  await drain(0)
  return turns
}

test('an idle connection is kept longer than any client that reuses connections keeps it', async () => {
  const { url, drain } = await listen(
    createServer((_, response) => response.end()),
    { host: '127.0.0.1', port: 0 },
  )
  onTestFinished(() => drain(0))
  expect((await fetch(url)).headers.get('keep-alive')).toBe('timeout=75')
})
