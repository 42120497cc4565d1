import { isUuid } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'
import { checkReason } from '../audit/check-reason.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import { findPayments, type Payment } from '../billing/payment-records.ts'
import type { Context } from '../context.ts'
import type { StripeContext } from '../stripe/find-customer.ts'
import { type Attempt, attemptColumns } from './attempt.ts'
import { cancelCharge } from './charge-attempt.ts'
import { stuckAfterMs } from './stuck-attempts.ts'

type EndingContext = StripeContext & Pick<Context, 'config'>

interface EndedAttempt {
  accountId: string
  /** The ID of the top-up. */
  id: string
  /** The operator's reason, 1 to 500 characters. The account's audit log shows it. */
  reason: string
  action?: ActionMark | undefined
}

/**
 * Ends an automatic top-up in progress as failed, for an operator. Its charge is cancelled at Stripe first. If Stripe does
 * not answer or does not know the charge, only a stuck top-up is ended; the operator has checked in Stripe's dashboard that
 * nothing was charged. A charge that succeeds nevertheless is credited by its event. Throws `validation_failed`,
 * `not_found`, and `conflict` if the top-up has ended, was charged, or is not stuck yet.
 */
export async function endAttempt(
  context: EndingContext,
  { accountId, id, reason, action }: EndedAttempt,
): Promise<Payment> {
  checkReason(reason)
  const attempt = await findAttempt(context, { accountId, id })
  const failure = 'ended_by_operator'
  const client = await context.payments.client()
  const answer = await cancelCharge({ context, client, attempt }, { failure, policy: 'wait' })
  if (answer.state === 'charged')
    throw conflict('Stripe has charged the card. The top-up is credited within minutes.')
  if (answer.state === 'unknown' && attempt.ageMs < stuckAfterMs)
    throw conflict('Stripe does not say whether the card was charged. The worker asks again every minute.')

  const hasEnded = await context.sql.begin(async sql => {
    const [row] = await sql<{ hasEnded: boolean }[]>`
      select fail_automatic_top_up(${accountId}, ${id}, ${attempt.paymentIntentId}, ${failure}, 'wait') as "hasEnded"`
    if (row?.hasEnded && action) await endAction({ sql }, action, { type: 'TopUp', id })
    return row?.hasEnded
  })
  if (!hasEnded) throw conflict('The top-up changed in the meantime. Read it again.')
  const [ended] = await findPayments(context, { accountId, ids: [id] })
  if (!ended) throw new Error(`Payment ${id} does not exist`)
  return ended
}

async function findAttempt(
  { sql }: EndingContext,
  { accountId, id }: Pick<EndedAttempt, 'accountId' | 'id'>,
): Promise<Attempt> {
  const [found] = isUuid(accountId)
    ? await sql<(Attempt & { status: string })[]>`
        select ${attemptColumns(sql)}, p.status from payments p
        where p.account_id = ${accountId} and p.id = ${id} and p.kind = 'automatic'`
    : []
  if (!found) throw new Problem('not_found', { message: 'The account has no automatic top-up with this ID.' })
  if (found.status !== 'pending') throw conflict(`The top-up has ended: it is ${found.status}.`)
  return found
}

function conflict(message: string): Problem {
  return new Problem('conflict', { message })
}
