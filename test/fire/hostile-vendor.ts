import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** A customer's own vendor that means harm. */
export interface HostileVendor {
  url: string
  close(): void
}

/** Starts one in this process; each call is answered in the next of its ways. */
export async function startHostileVendor(): Promise<HostileVendor> {
  let turn = 0
  const server = createServer((request, response) => {
    request.resume()
    response.on('error', () => {})
    const answer = ways[turn++ % ways.length]!
    request.once('end', () => void answer(response).catch(() => response.destroy()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** How it answers, whatever was asked. */
const ways: ((response: ServerResponse) => Promise<unknown>)[] = [
  async response => endWhole(response, { prompt_tokens: 1e15, completion_tokens: 1e15, total_tokens: 2e15 }),
  async response => endWhole(response, { prompt_tokens: -5, completion_tokens: Number.MAX_SAFE_INTEGER }),
  async response => endWhole(response, { prompt_tokens: '1', completion_tokens: null, __proto__: { a: 1 } }),
  async response => endStream(response, { prompt_tokens: 3e9, completion_tokens: 3e9, total_tokens: 6e9 }),
  // Frames that go on after the answer has ended.
  async response => {
    await endlessly(openStream(response), chunk({ content: 'x' }, 'stop'))
  },
  // A line that never ends.
  async response => {
    await endlessly(openStream(response), 'data: '.padEnd(65_536, 'x'))
  },
  // A whole answer that never ends.
  async response => {
    response.writeHead(200, { 'content-type': 'application/json' })
    await endlessly(response, '{"choices": ['.padEnd(65_536))
  },
  async response => response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {]\n\n'),
  async response => response.writeHead(200, { 'content-type': 'application/json' }).end('null'),
  async response => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  async response => response.writeHead(500).end('<html>'.padEnd(200_000, 'x')),
  async response => response.destroy(),
  // Headers, half an answer, and then nothing.
  async response => {
    openStream(response).write(chunk({ content: 'Hel' }))
    await sleep(20_000)
    response.destroy()
  },
]

function openStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' })
}

function chunk(delta: object, finish: string | null = null, usage?: object): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, usage })}\n\n`
}

const head = { id: 'chatcmpl-hostile', created: 1, model: 'theirs' }

function endStream(response: ServerResponse, usage: object): void {
  openStream(response).end(`${chunk({ content: 'Hello' })}${chunk({}, 'stop', usage)}data: [DONE]\n\n`)
}

function endWhole(response: ServerResponse, usage: object): void {
  const message = { role: 'assistant', content: 'Hello' }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }))
}

/** Writes the same bytes until the client disconnects, for at most 10 s and 256 MB. */
async function endlessly(response: ServerResponse, text: string): Promise<void> {
  const left = new AbortController()
  response.once('close', () => left.abort())
  const enough = AbortSignal.any([left.signal, AbortSignal.timeout(10_000)])
  for (let bytes = 0; bytes < 256e6 && !enough.aborted; bytes += text.length)
    if (!response.write(text)) await once(response, 'drain', { signal: enough }).catch(() => {})
  response.destroy()
}
