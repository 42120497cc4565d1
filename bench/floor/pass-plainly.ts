import type { Context } from 'koa'
import type { Pool } from 'undici'

/** A pass-through as both libraries document it: the request's stream goes up, the answer's stream is the body. */
export async function passPlainly(upstream: Pool, context: Context): Promise<void> {
  const { 'content-type': type = 'application/json', authorization = '' } = context.req.headers
  const answer = await upstream.request({
    method: 'POST',
    path: context.url,
    headers: { 'content-type': type, authorization, accept: context.req.headers.accept ?? '*/*' },
    body: context.req,
  })
  context.status = answer.statusCode
  context.set('content-type', String(answer.headers['content-type']))
  context.body = answer.body
}
