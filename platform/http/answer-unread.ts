import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'koa'

/** Maximum time in which a client may still send its body after the response, in milliseconds. */
const lingerMs = 1_000

/** Responds with JSON, without Koa. If the request's body is still arriving, its connection is closed. */
export function answerJson(
  ctx: Pick<Context, 'req' | 'res' | 'respond'>,
  { status, body }: { status: number; body: object },
): void {
  ctx.respond = false
  const { req, res } = ctx
  const bytes = Buffer.from(JSON.stringify(body))
  res.statusCode = status
  res.setHeader('content-type', 'application/json; charset=utf-8').setHeader('content-length', bytes.length)
  if (!req.complete) res.setHeader('connection', 'close')
  endUnread(req, res, bytes)
}

/**
 * Ends a response whose headers are set. If the request's body is still arriving, the response has `connection: close`,
 * and the rest of the body is discarded for at most `lingerMs`: closing a socket with unread bytes resets it, and the
 * client loses the response.
 */
export function endUnread(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  if (request.complete || request.destroyed) return void response.end(body)
  response.write(body)
  const timer = setTimeout(() => request.destroy(), lingerMs)
  response.once('close', () => clearTimeout(timer))
  request.resume().once('end', () => response.end())
}
