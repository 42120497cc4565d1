import { createHmac } from 'node:crypto'

/** Before the base64 of the key's bytes, as Standard Webhooks writes secrets. */
export const secretPrefix = 'whsec_'

/**
 * The headers of Standard Webhooks for one try: the id, the same for every try; the time of this one; and a signature
 * by each secret, separated by spaces, so that a receiver may hold any of them while they rotate. `nowMs` is
 * milliseconds since 1970.
 */
export function signDelivery(
  { id, body }: { id: string; body: string },
  { secrets, nowMs }: { secrets: readonly string[]; nowMs: number },
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000))
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
