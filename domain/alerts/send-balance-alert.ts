import { dollars } from '../../platform/money.ts'
import type { Context } from '../context.ts'
import { dollarText } from './dollar-text.ts'
import { type Notice, notifyAccount } from './notify-account.ts'

/** The payload of a fired balance alert: written by `fire_balance_alerts`, passed in its job. */
export interface FiredBalanceAlert {
  accountId: string
  alertId: string
  /** The number of this firing of the alert, starting at 1. */
  firing: number
  /** The threshold, in nano-dollars as text. */
  thresholdNanos: string
  /** The credits when the alert fired, in nano-dollars as text. */
  creditsNanos: string
  /** When the alert fired, in ISO 8601. */
  at: string
}

/**
 * Sends the e-mail and the webhook of a balance alert that fired, and records that the e-mail was sent. Sends nothing
 * if the alert was deleted in the meantime. If the worker is killed during the send, the e-mail is sent again with the
 * same Message-ID. Throws if the mail server does not accept the e-mail; the job is then retried.
 */
export async function sendBalanceAlert(
  context: Pick<Context, 'sql' | 'config' | 'log' | 'allowances' | 'clock'>,
  { fired, signal }: { fired: FiredBalanceAlert; signal: AbortSignal },
): Promise<void> {
  const { sql, clock } = context
  const { accountId, alertId, firing } = fired
  const [alert] = await sql<{ sent: number }[]>`
    select sent from balance_alerts where account_id = ${accountId} and id = ${alertId}`
  if (!alert || alert.sent >= firing) return

  const isSent = await notifyAccount(context, { accountId, notice: noticeOf(fired), signal })
  if (!isSent) return
  await sql`
    update balance_alerts set sent = ${firing}, last_sent_at = ${new Date(clock.now())}
    where account_id = ${accountId} and id = ${alertId} and sent < ${firing}`
}

function noticeOf({ alertId, firing, at, ...amounts }: FiredBalanceAlert): Notice {
  const threshold = dollarText(amounts.thresholdNanos)
  const left = dollarText(amounts.creditsNanos)
  const moment = new Date(at).toISOString()
  return {
    id: `alert_${alertId.replaceAll('-', '')}_${firing}`,
    event: 'balance.low',
    at: moment,
    data: {
      alert_id: alertId,
      threshold: dollars(BigInt(amounts.thresholdNanos)),
      credits: dollars(BigInt(amounts.creditsNanos)),
    },
    mail: {
      subject: `Your credits are below ${threshold}`,
      paragraphs: [
        `The credits of your account fell below ${threshold}: ${left} were left at ${minuteOf(moment)}.`,
        'Requests that cost more than the available amount are refused with 402 until you top up the account.',
        `You get this e-mail because of the balance alert ${alertId}. It is sent once, and again after the credits have reached ${threshold} or more and then fall below it.`,
      ],
    },
  }
}

/** `2026-11-22 09:30 UTC`. */
function minuteOf(moment: string): string {
  return `${moment.slice(0, 16).replace('T', ' ')} UTC`
}
