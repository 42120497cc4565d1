import type Stripe from 'stripe'
import { cents } from '../../platform/money.ts'
import { type Refusal, refusalOf } from '../billing/refusal.ts'
import type { Context } from '../context.ts'
import { obtainCustomer, type StripeContext } from '../stripe/find-customer.ts'
import { answerOf, isRepeated, type StripeFault } from '../stripe/stripe-faults.ts'
import { type Attempt, type ChargeAnswer, type Refused, refusalIn, type Unknown } from './attempt.ts'
import { taxAttempt } from './tax-attempt.ts'

type ChargingContext = StripeContext & Pick<Context, 'config'>

interface Charging {
  context: ChargingContext
  client: Stripe
  attempt: Attempt
}

/** Timeout of a charge, in milliseconds. Banks can take longer than Stripe's other operations. */
const chargeTimeoutMs = 30_000

/**
 * Maximum age of an attempt that may still charge the card, in milliseconds. The credits can have changed since, so an
 * older attempt is cancelled, and a new one decides again.
 */
const maxAgeMs = 3_600_000

/**
 * Charges the card of an attempt once, or finds out what became of an earlier call. The charge is created without being
 * confirmed, its ID is stored with the attempt, and only then it is confirmed. Stripe confirms a charge once at most, and
 * never after it was cancelled, so a call that arrives late charges nothing. Throws if the database does not answer.
 */
export async function chargeAttempt(context: ChargingContext, attempt: Attempt): Promise<ChargeAnswer> {
  const charging = { context, client: await context.payments.client(), attempt }
  const failure = attempt.isRefused ? 'account_refused' : attempt.ageMs > maxAgeMs ? 'not_charged' : undefined
  if (failure !== undefined) return cancelCharge(charging, { failure, policy: 'wait' })
  const known = attempt.paymentIntentId
  const intent = known === null ? await createCharge(charging) : await readCharge(charging, known)
  if ('state' in intent) return intent
  const answer = mayConfirm(intent) ? await confirmCharge(charging, intent.id) : outcomeOf(intent)
  if (answer.state !== 'refused') return answer
  return cancelCharge({ ...charging, attempt: { ...attempt, paymentIntentId: intent.id } }, answer)
}

/**
 * Cancels the charge of an attempt at Stripe, so that it can never be confirmed. Resolves to the refusal, to `charged`
 * if the card was charged before, and to `unknown` if Stripe does not say which.
 */
export async function cancelCharge(
  { context, client, attempt }: Charging,
  { failure, policy }: Refusal,
): Promise<ChargeAnswer> {
  const { paymentIntentId } = attempt
  const refused: Refused = { state: 'refused', failure, policy, paymentIntentId }
  if (paymentIntentId === null) return refused
  const cancelled = await answerOf(() => client.paymentIntents.cancel(paymentIntentId))
  if (!('fault' in cancelled)) return refused
  if (!isUnexpectedState(cancelled.fault)) return { state: 'unknown', error: cancelled.fault.text }
  const intent = await readCharge({ context, client, attempt }, paymentIntentId)
  if ('state' in intent) return intent
  if (intent.status === 'canceled') return refused
  if (isCharged(intent)) return { state: 'charged', intent }
  return { state: 'unknown', error: `the charge is ${intent.status} and cannot be cancelled` }
}

/** Creates the charge, unconfirmed, and stores its ID. If another worker was faster, returns that worker's charge. */
async function createCharge(charging: Charging): Promise<Stripe.PaymentIntent | Refused | Unknown> {
  const { context, client, attempt } = charging
  // A saved card has a customer. The call to Stripe is for a database that was restored without it.
  const customer = await obtainCustomer(context, attempt).catch(() => undefined)
  if (customer === undefined) return { state: 'unknown', error: 'the Stripe customer could not be created' }
  const taxed = await taxAttempt(context, { client, attempt, customer })
  if ('state' in taxed) return taxed
  const created = await answerOf(() =>
    client.paymentIntents.create(chargeOf(taxed, customer), { idempotencyKey: keyOf(attempt) }),
  )
  if ('fault' in created) {
    const refusal = refusalIn(created.fault, { customer })
    return refusal ? { ...refusal, paymentIntentId: null } : countFault(context, attempt, created.fault)
  }
  const stored = await storeCharge(context, attempt, created.id)
  if (stored === created.id) return created
  if (stored !== undefined) return readCharge(charging, stored)
  return { state: 'unknown', error: 'the attempt has ended' }
}

/** Stores the charge of an attempt in progress that has none. Returns the stored charge; undefined if the attempt ended. */
async function storeCharge(
  { sql }: ChargingContext,
  { accountId, id }: Attempt,
  paymentIntentId: string,
): Promise<string | undefined> {
  const [row] = await sql<{ paymentIntentId: string }[]>`
    update payments set payment_intent_id = coalesce(payment_intent_id, ${paymentIntentId})
    where account_id = ${accountId} and id = ${id} and status = 'pending'
    returning payment_intent_id as "paymentIntentId"`
  return row?.paymentIntentId
}

async function readCharge({ client }: Charging, id: string): Promise<Stripe.PaymentIntent | Unknown> {
  const read = await answerOf(() => client.paymentIntents.retrieve(id))
  return 'fault' in read ? { state: 'unknown', error: read.fault.text } : read
}

async function confirmCharge(charging: Charging, id: string): Promise<ChargeAnswer> {
  const { context, client, attempt } = charging
  const confirmed = await answerOf(() =>
    client.paymentIntents.confirm(
      id,
      { payment_method: attempt.cardId, off_session: true },
      { idempotencyKey: `${keyOf(attempt)}-confirm`, timeout: chargeTimeoutMs, maxNetworkRetries: 0 },
    ),
  )
  if (!('fault' in confirmed)) return outcomeOf(confirmed)
  const { fault } = confirmed
  if (isUnexpectedState(fault)) {
    const intent = await readCharge(charging, id)
    return 'state' in intent ? intent : outcomeOf(intent)
  }
  const refusal = refusalIn(fault)
  return refusal ? { ...refusal, paymentIntentId: id } : countFault(context, attempt, fault)
}

/**
 * Returns the idempotency key of a charge. Stripe repeats an error under the same key for a day, so an attempt uses
 * another key after an error.
 */
function keyOf({ id, tries }: Attempt): string {
  return tries === 0 ? id : `${id}-${tries}`
}

/** Counts an error that Stripe would repeat under the same idempotency key. */
async function countFault(
  { sql }: ChargingContext,
  { accountId, id, tries }: Attempt,
  fault: StripeFault,
): Promise<Unknown> {
  if (isRepeated(fault))
    await sql`
      update payments set tries = ${tries + 1} where account_id = ${accountId} and id = ${id} and tries = ${tries}`
  return { state: 'unknown', error: fault.text }
}

/** A declined charge could be confirmed again, but each attempt asks the bank once. */
function mayConfirm({ status, last_payment_error: error }: Stripe.PaymentIntent): boolean {
  return status === 'requires_confirmation' || (status === 'requires_payment_method' && !error)
}

function isCharged({ status }: Stripe.PaymentIntent): boolean {
  return status === 'succeeded' || status === 'processing'
}

function outcomeOf(intent: Stripe.PaymentIntent): ChargeAnswer {
  const { id: paymentIntentId, status, last_payment_error: error } = intent
  if (isCharged(intent)) return { state: 'charged', intent }
  if (status === 'canceled')
    return { state: 'refused', failure: 'not_charged', policy: 'wait', paymentIntentId }
  const refusal = refusalOf({
    code: status === 'requires_action' ? 'authentication_required' : error?.code,
    declineCode: error?.decline_code,
    adviceCode: error?.advice_code,
  })
  return { state: 'refused', ...refusal, paymentIntentId }
}

/** Whether Stripe refused an operation because of the state of the charge. */
function isUnexpectedState({ code }: StripeFault): boolean {
  return code === 'payment_intent_unexpected_state'
}

function chargeOf(attempt: Attempt, customer: string): Stripe.PaymentIntentCreateParams {
  const { accountId, id, amountNanos, taxNanos, taxCalculationId, currency, cardId } = attempt
  return {
    amount: cents(amountNanos + (taxNanos ?? 0n)),
    currency,
    customer,
    payment_method: cardId,
    allowed_payment_method_types: ['card'],
    description: 'Credits (automatic top-up)',
    metadata: { payment_id: id, account_id: accountId, automatic: 'true' },
    ...(taxCalculationId !== null && { hooks: { inputs: { tax: { calculation: taxCalculationId } } } }),
  }
}
