import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'

/** A call that a vendor received. */
export interface VendorCall {
  path: string
  /** What came in the header `authorization`, after `Bearer `. */
  key: string
  body: unknown
}

export interface TestVendor {
  url: string
  /** The calls so far, the oldest first. */
  calls: VendorCall[]
}

/**
 * A vendor that answers as the test says, byte for byte, where the simulator is too well-behaved. It closes when the
 * test ends.
 */
export async function aVendor(
  answer: (response: ServerResponse, call: VendorCall) => unknown,
): Promise<TestVendor> {
  const calls: VendorCall[] = []
  const server = createServer(async (request, response) => {
    response.on('error', () => {})
    let text = ''
    for await (const part of request.setEncoding('utf8')) text += part
    const key = (request.headers.authorization ?? '').replace('Bearer ', '')
    const call = { path: request.url ?? '', key, body: JSON.parse(text || 'null') }
    calls.push(call)
    await answer(response, call)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, calls }
}

/** Answers with a JSON body. */
export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** Whole, or as a stream: an answer in vendor_a's words. */
export function answerChat(response: ServerResponse, { body }: VendorCall, content = 'Hello'): void {
  const isStreamed = typeof body === 'object' && body !== null && Reflect.get(body, 'stream') === true
  const head = { id: 'chatcmpl-1', created: 1, model: 'theirs' }
  const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }
  if (!isStreamed) {
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
    answerJson(response, 200, { ...head, object: 'chat.completion', choices, usage })
    return
  }
  const chunk = { ...head, object: 'chat.completion.chunk' }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const frames = [
    { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...chunk, choices: [], usage },
  ]
  response.end(`${frames.map(frame => `data: ${JSON.stringify(frame)}\n\n`).join('')}data: [DONE]\n\n`)
}
