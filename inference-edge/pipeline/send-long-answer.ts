import { sendBytes } from '../../platform/http/send-file.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { whileWaiting } from '../server/shed-load.ts'

/** Size up to which the kernel's send buffer accepts a response at once, in bytes. */
const shortBytes = 65_536

/**
 * Sends a body of any length. Status and content type must already be set. While the client reads a long body, the
 * request is in flight and the body counts in the account's memory. A client that reads too slowly is disconnected.
 */
export function sendLongAnswer(
  { limits, load }: Pick<Edge, 'limits' | 'load'>,
  ctx: EdgeContext,
  body: string | Buffer,
): Promise<unknown> | undefined {
  ctx.respond = false // Koa would look up the type and each header again
  const length = Buffer.byteLength(body)
  if (length <= shortBytes) {
    if (ctx.writable) ctx.res.setHeader('content-length', length).end(body)
    return undefined
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  ctx.length = bytes.length
  ctx.state.share?.addBytes(bytes.length)
  return whileWaiting(load, sendBytes(ctx.res, bytes, { stalledMs: limits.stalledReaderMs }))
}
