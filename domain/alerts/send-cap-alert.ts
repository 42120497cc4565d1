import { dollars } from '../../platform/money.ts'
import type { ResetInterval } from '../../schema/entities/keys.ts'
import type { Context } from '../context.ts'
import { dollarText } from './dollar-text.ts'
import { perPeriod, untilReset } from './limit-text.ts'
import { type Notice, notifyAccount } from './notify-account.ts'

/** The payload of a fired cap alert: written by `fire_cap_alert`, passed in its job. */
export interface FiredCapAlert {
  accountId: string
  keyId: string
  /** The ID of this firing. */
  id: string
  /** The share of its cap that the key has reached, in percent: 80 or 100. */
  percent: number
  /** The cap, and the amount spent in the period, in nano-dollars as text. */
  limitNanos: string
  spentNanos: string
  resetInterval: ResetInterval
  /** When the alert fired, in ISO 8601. */
  at: string
}

/**
 * Sends the e-mail and the webhook of a cap alert. Sends nothing if the key was revoked in the meantime. A repeated
 * call sends both with the same IDs. Throws if the mail server does not accept the e-mail; the job is then retried.
 */
export async function sendCapAlert(
  context: Pick<Context, 'sql' | 'config' | 'log' | 'allowances'>,
  { fired, signal }: { fired: FiredCapAlert; signal: AbortSignal },
): Promise<void> {
  const { accountId, keyId } = fired
  const [key] = await context.sql<{ name: string; keyPrefix: string }[]>`
    select name, key_prefix as "keyPrefix" from api_keys
    where account_id = ${accountId} and id = ${keyId} and revoked_at is null`
  if (key) await notifyAccount(context, { accountId, notice: noticeOf(fired, key), signal })
}

function noticeOf(
  { id, keyId, percent, resetInterval, at, ...amounts }: FiredCapAlert,
  { name, keyPrefix }: { name: string; keyPrefix: string },
): Notice {
  const cap = `${dollarText(amounts.limitNanos)}${perPeriod[resetInterval]}`
  const isUsedUp = percent === 100
  return {
    id: `budget_${id.replaceAll('-', '')}`,
    event: 'budget.reached',
    at: new Date(at).toISOString(),
    data: {
      api_key_id: keyId,
      name,
      key_prefix: keyPrefix,
      percent,
      credit_limit: dollars(BigInt(amounts.limitNanos)),
      credit_used: dollars(BigInt(amounts.spentNanos)),
      credit_reset_interval: resetInterval,
    },
    mail: {
      subject: isUsedUp ? 'An API key has used up its cap' : 'An API key has spent 80% of its cap',
      paragraphs: [
        `The API key ${name} (${keyPrefix}) has spent ${dollarText(amounts.spentNanos)} of its cap of ${cap}.`,
        isUsedUp
          ? `Requests that need more than the rest of the cap are refused with 402${untilReset(resetInterval, 'cap')}.`
          : 'When the cap is used up, requests with this key are refused with 402.',
        'You get this e-mail once when a key reaches 80% of its cap and once when it reaches 100%, in each period.',
      ],
    },
  }
}
