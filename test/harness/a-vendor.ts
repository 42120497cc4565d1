import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'

/** A call that a vendor received. */
export interface VendorCall {
  path: string
  /** The header `authorization` without `Bearer `. */
  key: string
  headers: IncomingHttpHeaders
  body: unknown
}

type Answer = (response: ServerResponse, call: VendorCall) => unknown

export interface TestVendor {
  url: string
  /** The calls so far, the oldest first. */
  calls: VendorCall[]
  /** How it answers; a test may change that. */
  answer: Answer
  close(): void
}

/** A vendor that answers as the test says, byte for byte, where the simulator is too well-behaved. */
export async function aVendor(answer: Answer): Promise<TestVendor> {
  const server = createServer(async (request, response) => {
    response.on('error', () => {})
    let text = ''
    for await (const part of request.setEncoding('utf8')) text += part
    const key = (request.headers.authorization ?? '').replace('Bearer ', '')
    const { headers } = request
    const call = { path: request.url ?? '', key, headers, body: JSON.parse(text || 'null') }
    vendor.calls.push(call)
    await vendor.answer(response, call)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const vendor: TestVendor = {
    url: `http://127.0.0.1:${port}`,
    calls: [],
    answer,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  return vendor
}

/** Answers with a JSON body. */
export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** Whether a call asks for a stream. */
export function asksForStream({ body }: VendorCall): boolean {
  return typeof body === 'object' && body !== null && Reflect.get(body, 'stream') === true
}

/** What an answer in vendor_a's words says, and how. */
interface Said {
  /** Its message, or the deltas of its stream. */
  says?: object | object[]
  finish?: string | null
  usage?: object | null
  /** More fields of the answer, or of each chunk. */
  head?: object
}

/** Responds in vendor_a's format, whole or streamed as requested. */
export function answerChat(
  response: ServerResponse,
  call: VendorCall,
  { says = { content: 'Hello' }, finish = 'stop', usage = someUsage, head: more = {} }: Said = {},
): void {
  const head = { id: 'chatcmpl-1', created: 1, model: 'theirs', ...more }
  const told = usage && { usage }
  const deltas = [says].flat()
  if (!asksForStream(call)) {
    const message = Object.assign({ role: 'assistant', content: null }, ...deltas)
    const choices = [{ index: 0, message, finish_reason: finish }]
    answerJson(response, 200, { ...head, object: 'chat.completion', choices, ...told })
    return
  }
  const chunk = { ...head, object: 'chat.completion.chunk' }
  const frames: object[] = deltas.map(delta => ({
    ...chunk,
    choices: [{ index: 0, delta, finish_reason: null }],
  }))
  frames.push({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason: finish }] })
  if (told) frames.push({ ...chunk, choices: [], ...told })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(`${frames.map(frame => `data: ${JSON.stringify(frame)}\n\n`).join('')}data: [DONE]\n\n`)
}

const someUsage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }
