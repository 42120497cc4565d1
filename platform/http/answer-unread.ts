import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from 'koa'

/** Maximum time in which a client may still send its body after the response, in milliseconds. */
const lingerMs = 1_000

/**
 * Answers a request whose body is not wanted, as JSON, and ends its connection. What still comes is thrown
 * away for `lingerMs` at most: a socket that is closed with bytes unread is reset, and its client loses the
 * answer.
 */
export function answerUnread(
  ctx: Pick<Context, 'req' | 'set' | 'type' | 'body' | 'length'>,
  answer: object,
): void {
  const text = JSON.stringify(answer)
  ctx.set('connection', 'close')
  ctx.type = 'application/json'
  ctx.body = Readable.from(answerThenDiscard(text, ctx.req))
  ctx.length = Buffer.byteLength(text)
}

/**
 * Ends a response whose head was written, with `connection: close` where the body of its request still comes:
 * what comes is thrown away for `lingerMs` at most.
 */
export function endUnread(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  if (request.complete || request.destroyed) return void response.end(body)
  response.write(body)
  const timer = setTimeout(() => request.destroy(), lingerMs)
  response.once('close', () => clearTimeout(timer))
  request.resume().once('end', () => response.end())
}

async function* answerThenDiscard(text: string, request: IncomingMessage): AsyncGenerator<string> {
  yield text
  if (request.complete || request.destroyed) return
  await new Promise<void>(resolve => {
    const timer = setTimeout(resolve, lingerMs)
    request.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
    request.resume()
  })
}
