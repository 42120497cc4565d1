import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from 'koa'

/** Maximum time in which a client may still send its body after the response, in milliseconds. */
const lingerMs = 1_000

/**
 * Responds with JSON to a request whose body is not read, and ends its connection. The rest of the body is discarded
 * for at most `lingerMs`: closing a socket with unread bytes resets it, and the client loses the response.
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
 * Ends a response whose head was written. If the request's body is still arriving, the response has `connection:
 * close`, and the rest of the body is discarded for at most `lingerMs`.
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
