import { openPauses } from '../../platform/pauses.ts'
import { isTransient } from '../../platform/postgres/transient-errors.ts'
import { errorCatalogue, Problem } from '../../schema/errors.ts'
import type { Reservation } from './hold.ts'
import type { CommitResult, Ledger, Settlement } from './ledger.ts'
import type { RequestRecord } from './request-record.ts'
import { reserveAgain } from './reserve.ts'

/** What is known of a request beside its record. */
export interface Delivery {
  /** The client has a part of the answer: it is charged however long settling takes. */
  isDelivered?: boolean
}

interface Sent extends Delivery {
  record: RequestRecord
  reservation: Reservation | undefined
  /** Where the hold has less than the cost, it takes what is there. */
  takesWhatIsThere?: boolean
}

/**
 * Turns a reservation into a charge of `record.costNanos` (zero releases it) and logs the request; resolves to what
 * was charged once that is durable. Without a reservation (the customer's own credential) it logs alone.
 *
 * Never is more charged than was reserved: a cost beyond it is capped, `record.costNanos` says so afterwards. One whose
 * hold lapsed meanwhile takes what balance and cap still have. The rest is ours: the vendor has answered.
 * Throws `internal` when Postgres cannot take the row; nothing is charged then. Does Postgres not answer within two
 * seconds, the settlement goes on by itself: what was delivered is charged later, what was not is released, or refunded
 * where it was charged already. Throws `unavailable` then where surely nothing is charged, else `settlement_unknown`.
 */
export async function settle(
  ledger: Ledger,
  reservation: Reservation | undefined,
  record: RequestRecord,
  { isDelivered = false }: Delivery = {},
): Promise<bigint> {
  if (!reservation && record.costNanos > 0n)
    throw new Problem('internal', { internal: 'a charge needs a reservation' })
  if (reservation) cap(ledger, reservation, record)
  const outcome = await send(ledger, { record, reservation, isDelivered })
  return isPaid(outcome, record) ? record.costNanos : settleAgain(ledger, record, { isDelivered })
}

/**
 * Settles a request whose hold lapsed, from whatever balance and cap still have. It ends: a cost that they cannot
 * cover is lowered, and another turn takes another lapse, which is ten silent seconds away.
 */
async function settleAgain(ledger: Ledger, record: RequestRecord, delivery: Delivery): Promise<bigint> {
  const { accountId, keyId, costNanos } = record
  for (;;) {
    const reservation = await reserveAgain(ledger, { accountId, keyId, amountNanos: costNanos })
    const outcome = await send(ledger, { ...delivery, record, reservation, takesWhatIsThere: true })
    if (isPaid(outcome, record)) break
    record.costNanos = costNanos
  }
  if (record.costNanos < costNanos) warnOfCappedCharge(ledger, record, costNanos - record.costNanos)
  return record.costNanos
}

/** Whether a settlement was committed; not where its hold had lapsed. Throws where Postgres refused it. */
function isPaid(outcome: CommitResult, { requestId }: RequestRecord): boolean {
  if (outcome === 'settled' || outcome === 'lapsed') return outcome === 'settled'
  throw new Problem('internal', { internal: `settlement of ${requestId} was refused` })
}

/** Sends a settlement. */
function send(ledger: Ledger, sent: Sent): Promise<CommitResult> {
  return new Promise((resolve, reject) => {
    const item: Settlement = {
      kind: 'settle',
      takesWhatIsThere: false,
      isDelivered: false,
      ...sent,
      mayBeCharged: false,
      since: ledger.context.clock.monotonic(),
      isGivenUp: false,
      isUnanswered: false,
      giveUp() {
        item.isGivenUp = true
        item.isUnanswered = !item.isDelivered && item.record.status === 200
        reject(lateProblem(item))
      },
    }
    ledger.settling.add(item)
    const over = (end: () => void) => {
      if (!item.isUnanswered) ledger.settling.delete(item)
      else void refundUnanswered(ledger, item).finally(() => ledger.settling.delete(item))
      end()
    }
    ledger.commits.add(item).then(
      result => over(() => resolve(result)),
      error => over(() => reject(error)),
    )
  })
}

/** What is told whose settlement takes too long: never that nothing was charged where something may be. */
function lateProblem({ record, isDelivered, mayBeCharged }: Settlement): Problem {
  const isFree = record.costNanos === 0n || !(isDelivered || mayBeCharged)
  if (isFree) return new Problem('unavailable', { retryAfterSeconds: 1 })
  const text = errorCatalogue.settlement_unknown.text
  return new Problem('settlement_unknown', {
    retryAfterSeconds: 1,
    message: text.replace('this request', `the request ${record.requestId}`),
  })
}

/** Nothing beyond the reservation is charged: it was held, the rest was not. */
function cap(ledger: Ledger, { amountNanos }: Reservation, record: RequestRecord): void {
  if (record.costNanos <= amountNanos) return
  warnOfCappedCharge(ledger, record, record.costNanos - amountNanos)
  record.costNanos = amountNanos
}

function warnOfCappedCharge({ context }: Ledger, { requestId }: RequestRecord, missingNanos: bigint) {
  context.log.warn({ requestId, missingNanos: missingNanos.toString() }, 'cost capped')
}

/** The first and the longest pause before a refund is tried again, in milliseconds. */
const firstPauseMs = 100
const longestPauseMs = 2_000

/**
 * Refunds a settled request whose client was refused meanwhile, since its settlement took too long, where Postgres has
 * charged it all the same: its word was lost, or came late. Where it was not charged nothing happens. Waits while the
 * request runs again under its Idempotency-Key: an answer then is what the charge is for. Never throws.
 */
export async function refundUnanswered(
  ledger: Ledger,
  { record, mayBeCharged }: Pick<Settlement, 'record' | 'mayBeCharged'>,
): Promise<void> {
  if (!mayBeCharged) return
  const { sql, ids, log } = ledger.context
  const { accountId, requestId } = record
  const arrivedAt = new Date(record.startedAt)
  const pause = openPauses({
    log,
    warning: 'a refused request is still not refunded',
    details: { requestId },
    firstMs: firstPauseMs,
    longestMs: longestPauseMs,
  })
  for (;;) {
    let failure: unknown
    try {
      const [row] = await sql<{ refunded: bigint | null }[]>`
        select refund_request(${accountId}, ${arrivedAt}, ${requestId}, ${ids.tagged('txn_')}) as refunded`
      const refunded = row?.refunded ?? undefined
      if (refunded)
        log.warn({ requestId, refundedNanos: refunded.toString() }, 'a refused request is refunded')
      if (refunded !== undefined) return
    } catch (error) {
      if (!isTransient(error))
        return log.error({ err: error, requestId }, 'a refused request was not refunded')
      failure = error
    }
    await pause(failure)
  }
}
