import type Stripe from 'stripe'
import { parseEvent } from '../billing/parse-event.ts'
import { receiveEvent } from '../billing/receive-event.ts'
import type { Context } from '../context.ts'
import { forgetCustomer, type StripeContext } from '../stripe/find-customer.ts'
import { type Attempt, attemptColumns, type ChargeAnswer } from './attempt.ts'
import { chargeAttempt } from './charge-attempt.ts'
import { stuckAfterMs } from './stuck-attempts.ts'

/** The maximum number of failed attempts of an account per day (UTC), however often its settings are changed. */
const maxFailedPerDay = 10

/** Age of an attempt from which its charge is credited without Stripe's event, in milliseconds. Events are seldom later. */
const eventDueMs = 10 * 60_000

type TopUpContext = StripeContext & Pick<Context, 'config' | 'news' | 'redis'>

/**
 * Opens an automatic top-up of an account if one is due, and charges the saved card; or continues the top-up in
 * progress. Calls for the same attempt make one charge together. The credits follow with Stripe's event, or after ten
 * minutes from the charge itself. If the outcome is unknown, the attempt stays in progress and a chore continues it
 * (`findDueTopUps`). Throws if the database does not answer.
 */
export async function topUpAutomatically(
  context: TopUpContext,
  { accountId }: { accountId: string },
): Promise<void> {
  const { sql, config } = context
  if (config.stripeSecretKey === 'none') return
  const [opened] = await sql<{ id: string }[]>`
    select id from open_automatic_top_up(${accountId}, ${maxFailedPerDay})`
  if (!opened) return
  const [attempt] = await sql<Attempt[]>`
    update payments p set called_at = now()
    where p.account_id = ${accountId} and p.id = ${opened.id} and p.status = 'pending'
    returning ${attemptColumns(sql)}`
  if (!attempt) return

  const answer = await chargeAttempt(context, attempt)
  logAnswer(context, attempt, answer)
  if (answer.state === 'refused') {
    await sql`
      select fail_automatic_top_up(${accountId}, ${attempt.id}, ${answer.paymentIntentId}, ${answer.failure}, ${answer.policy})`
    if (answer.lostCustomer !== undefined)
      await forgetCustomer(context, { accountId, customer: answer.lostCustomer })
  }
  if (answer.state === 'charged' && attempt.ageMs > eventDueMs) await creditCharge(context, answer.intent)
}

function logAnswer({ log }: TopUpContext, { accountId, id, ageMs }: Attempt, answer: ChargeAnswer): void {
  const line = { accountId, paymentId: id }
  if (answer.state === 'charged')
    log.info({ ...line, paymentIntentId: answer.intent.id }, 'an automatic top-up was charged')
  else if (answer.state === 'refused') log.warn({ ...line, ...answer }, 'an automatic top-up was refused')
  else if (ageMs > stuckAfterMs) log.error({ ...line, ...answer }, 'an automatic top-up is stuck')
  else log.warn({ ...line, ...answer }, 'the outcome of an automatic top-up is unknown; it is continued')
}

/** Credits a charge whose event did not arrive. If the event arrives later, it changes nothing. */
async function creditCharge(context: TopUpContext, intent: Stripe.PaymentIntent): Promise<void> {
  if (intent.status !== 'succeeded') return
  const type = 'payment_intent.succeeded'
  const { id, created } = intent
  await receiveEvent(context, parseEvent({ id: `read:${id}`, type, created, data: { object: intent } }))
}

/** Maximum number of accounts that one call of `findDueTopUps` handles. */
const maxAccounts = 500

/**
 * Requests automatic top-ups whose delay has passed or whose job was lost, and continues those whose outcome is unknown.
 * Resolves to the number of accounts.
 */
export async function findDueTopUps({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const [row] = await sql<{ found: number }[]>`select find_due_top_ups(${maxAccounts}) as found`
  return row?.found ?? 0
}
