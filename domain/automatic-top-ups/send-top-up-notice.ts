import { dollars } from '../../platform/money.ts'
import { dollarText } from '../alerts/dollar-text.ts'
import { type Notice, notifyAccount } from '../alerts/notify-account.ts'
import { findPayments, type Payment } from '../billing/payment-records.ts'
import { startTopUp } from '../billing/start-top-up.ts'
import type { Context } from '../context.ts'
import type { StripeContext } from '../stripe/find-customer.ts'

/** An automatic top-up that was the last one: the payload of its job. */
export interface StoppedTopUp {
  accountId: string
  paymentId: string
}

/**
 * Notifies an account that its automatic top-ups are switched off. If the card requires authentication, the e-mail has a
 * link to a page of Stripe with the same amount; the payment saves the card again and switches automatic top-ups on. Sends
 * nothing if the payment was completed in the meantime. Throws if Stripe or the mail server does not respond; the job is
 * then retried, with the same page and Message-ID.
 */
export async function sendTopUpNotice(
  context: StripeContext & Pick<Context, 'config' | 'allowances'>,
  { stopped, signal }: { stopped: StoppedTopUp; signal: AbortSignal },
): Promise<void> {
  const { accountId, paymentId } = stopped
  const [payment] = await findPayments(context, { accountId, ids: [paymentId] })
  if (payment?.status !== 'failed') return
  const checkoutUrl = await pageFor(context, payment)
  await notifyAccount(context, { accountId, notice: noticeOf(payment, checkoutUrl), signal })
}

/** Returns the page on which the cardholder pays the amount; undefined if the card does not require it. */
async function pageFor(
  context: StripeContext & Pick<Context, 'config'>,
  { accountId, id, amountNanos, failure }: Payment,
): Promise<string | undefined> {
  if (failure !== 'authentication_required') return undefined
  const topUp = { savesCard: true, resumesAutomatic: true, idempotencyKey: `authenticate ${id}` }
  const { checkoutUrl } = await startTopUp(context, { accountId, amountNanos, ...topUp })
  return checkoutUrl ?? undefined
}

function noticeOf({ id, amountNanos, failure, createdAt }: Payment, checkoutUrl: string | undefined): Notice {
  const amount = dollarText(amountNanos)
  const at = createdAt.toISOString()
  return {
    id: `topup_${id}`,
    event: 'automatic_top_up.stopped',
    at,
    data: { top_up_id: id, amount: dollars(amountNanos), reason: failure ?? 'card_declined' },
    mail: checkoutUrl
      ? {
          subject: 'Confirm the payment for your credits',
          paragraphs: [
            `Your bank requires you to confirm the automatic top-up of ${amount}. Nothing was charged.`,
            `Pay on the page of our payment processor: ${checkoutUrl}`,
            'The page is valid for 24 hours. The payment switches automatic top-ups on again. Until then, your account is not topped up automatically.',
          ],
        }
      : {
          subject: 'Your automatic top-ups are switched off',
          paragraphs: [
            `The automatic top-up of ${amount} was declined (${failure ?? 'card_declined'}). Nothing was charged.`,
            'Automatic top-ups are now switched off. Check the saved card, or save another one, and switch them on again.',
          ],
        },
  }
}
