import { createHmac } from 'node:crypto'

/** The prefix of secrets in the format of Standard Webhooks, followed by the base64 of the key. */
export const secretPrefix = 'whsec_'

/**
 * Returns the headers of Standard Webhooks for one attempt: the ID, which every attempt shares; the time of this
 * attempt; and a signature with each secret, separated by spaces, so that a receiver can have any of them during a
 * rotation. `nowMs` is in milliseconds since 1970.
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
