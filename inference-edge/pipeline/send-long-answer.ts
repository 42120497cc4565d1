import { sendBytes } from '../../platform/http/send-file.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { whileWaiting } from '../server/shed-load.ts'

/** Size up to which the kernel's send buffer takes an answer at once, in bytes. */
const shortBytes = 65_536

/**
 * Answers with a body of any length. Status and content type are set. While a long answer waits for its client, the
 * request is in flight and the answer counts in the account's memory. A client that reads too slowly is disconnected.
 */
export function sendLongAnswer(
  { config, load }: Pick<Edge, 'config' | 'load'>,
  ctx: EdgeContext,
  body: string | Buffer,
): Promise<unknown> | undefined {
  ctx.respond = false // Koa would look the type up, and each header, once more
  const length = Buffer.byteLength(body)
  if (length <= shortBytes) {
    if (ctx.writable) ctx.res.setHeader('content-length', length).end(body)
    return undefined
  }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  ctx.length = bytes.length
  ctx.state.share?.addBytes(bytes.length)
  return whileWaiting(load, sendBytes(ctx.res, bytes, { stalledMs: config.stalledReaderMs }))
}
