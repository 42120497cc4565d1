import type { Edge, EdgeContext } from '../edge.ts'
import { sendWhole } from '../sse/client-stream.ts'
import { whileWaiting } from './shed-load.ts'

/** Up to here the system keeps what a client has not read yet. */
const shortBytes = 65_536

/**
 * Answers a body of any length, status and type being set. A long one is waited for until its client has read it: as
 * long as it stands in memory, its request is in flight, and its account has no more of these than it may.
 */
export function answerLong(
  { config, load }: Pick<Edge, 'config' | 'load'>,
  ctx: EdgeContext,
  body: string | Buffer,
): Promise<void> | undefined {
  ctx.respond = false // Koa would look the type up, and each header, once more
  if (body.length <= shortBytes) {
    if (ctx.writable) ctx.res.setHeader('content-length', Buffer.byteLength(body)).end(body)
    return undefined
  }
  const bytes = Buffer.from(body)
  ctx.length = bytes.length
  return whileWaiting(load, sendWhole(ctx.res, bytes, config))
}
