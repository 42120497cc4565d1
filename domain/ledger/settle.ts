import { dollars } from '../../platform/money.ts'
import { openPauses } from '../../platform/pauses.ts'
import { isTransient } from '../../platform/postgres/transient-errors.ts'
import { errorCatalogue } from '../../schema/error-catalogue.ts'
import { Problem } from '../../schema/errors.ts'
import type { HeldReservation, HoldOwner } from './hold.ts'
import type { CommitResult, Ledger, Settlement } from './ledger.ts'
import type { RequestRecord } from './request-record.ts'
import { reserveAgain } from './reserve.ts'

/** Facts about a request that its record does not contain. */
export interface SettleOptions {
  /** Whether the client has received part of the response. If so, it is charged no matter how long settling takes. */
  isDelivered?: boolean
  /** Called with each item of the commit queue that settles the request: a second one if its hold has lapsed. */
  submitted?: ((item: Settlement) => void) | undefined
}

interface Sent extends SettleOptions {
  record: RequestRecord
  reservation: HeldReservation | undefined
  /** Whether the cost is lowered to the hold's amount if that is lower. */
  takesAvailable?: boolean
}

/**
 * Turns a reservation into a charge of `record.costNanos` (zero releases it) and logs the request. Resolves to the
 * charged amount when it is durable. Without a reservation (the account's own credential), it only logs.
 *
 * The charge never exceeds the reservation: a higher cost is capped, and `record.costNanos` is updated. A request
 * whose hold lapsed is paid from the remaining balance and cap. The account is not charged for the remainder, because
 * the vendor has already answered.
 *
 * If Postgres does not respond within two seconds, settlement continues in the background. A delivered response is
 * charged later. One that was not delivered is released, or refunded if it was already charged. In this case it
 * throws `unavailable` if nothing is charged for certain, and otherwise `settlement_unknown`. Throws `internal` if
 * Postgres refuses the row; nothing is charged then.
 */
export async function settle(
  ledger: Ledger,
  reservation: HeldReservation | undefined,
  record: RequestRecord,
  { isDelivered = false, submitted }: SettleOptions = {},
): Promise<bigint> {
  if (!reservation && record.costNanos > 0n)
    throw new Problem('internal', { internal: 'a charge needs a reservation' })
  if (reservation) cap(ledger, reservation, record)
  const outcome = await send(ledger, { record, reservation, isDelivered, submitted })
  if (isPaid(outcome, record)) return record.costNanos
  ledger.counts.lapsed.value += 1
  return settleAgain(ledger, record, { isDelivered, submitted, budgets: reservation?.hold.budgets })
}

/**
 * Settles a request whose hold lapsed, from the remaining balance and cap. The loop ends: a cost that they cannot
 * cover is lowered, and only another lapse, after ten seconds without a heartbeat, causes another iteration.
 */
async function settleAgain(
  ledger: Ledger,
  record: RequestRecord,
  { budgets, ...delivery }: SettleOptions & Pick<HoldOwner, 'budgets'>,
): Promise<bigint> {
  const { accountId, keyId, costNanos } = record
  for (;;) {
    const reservation = await reserveAgain(ledger, { accountId, keyId, budgets, amountNanos: costNanos })
    const outcome = await send(ledger, { ...delivery, record, reservation, takesAvailable: true })
    if (isPaid(outcome, record)) break
    record.costNanos = costNanos
  }
  if (record.costNanos < costNanos) warnOfCappedCharge(ledger, record, costNanos - record.costNanos)
  return record.costNanos
}

/** Whether a settlement was committed. False if its hold had lapsed. Throws `internal` if Postgres refused it. */
function isPaid(outcome: CommitResult, { requestId }: RequestRecord): boolean {
  if (outcome === 'settled' || outcome === 'lapsed') return outcome === 'settled'
  throw new Problem('internal', { internal: `settlement of ${requestId} was refused` })
}

/** Submits a settlement. Rejects if it takes too long. */
function send(ledger: Ledger, { submitted, ...sent }: Sent): Promise<CommitResult> {
  return new Promise((resolve, reject) => {
    const item: Settlement = {
      kind: 'settle',
      takesAvailable: false,
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
    submitted?.(item)
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

/**
 * Returns the error for a settlement that takes too long. It states that nothing is charged only if that is certain.
 */
export function lateProblem({
  record,
  isDelivered,
  mayBeCharged,
}: Pick<Settlement, 'isDelivered' | 'mayBeCharged'> & {
  record: Pick<RequestRecord, 'requestId' | 'costNanos'>
}): Problem {
  const isFree = record.costNanos === 0n || !(isDelivered || mayBeCharged)
  if (isFree) return new Problem('unavailable', { retryAfterSeconds: 1 })
  const text = errorCatalogue.settlement_unknown.text
  return new Problem('settlement_unknown', {
    retryAfterSeconds: 1,
    message: text.replace('the request', `the request ${record.requestId}`),
  })
}

/** Caps the cost at the reserved amount. */
function cap(ledger: Ledger, { amountNanos }: HeldReservation, record: RequestRecord): void {
  if (record.costNanos <= amountNanos) return
  warnOfCappedCharge(ledger, record, record.costNanos - amountNanos)
  record.costNanos = amountNanos
}

function warnOfCappedCharge({ context, counts }: Ledger, { requestId }: RequestRecord, missingNanos: bigint) {
  counts.cappedDollars.value += dollars(missingNanos)
  context.log.warn({ requestId, missingNanos: missingNanos.toString() }, 'cost capped')
}

/** A request whose client got an error because settling took too long. */
interface Unanswered {
  record: Pick<RequestRecord, 'accountId' | 'requestId' | 'startedAt'>
  mayBeCharged: boolean
}

/** Minimum and maximum delay before a refund is retried, in milliseconds. */
const firstPauseMs = 100
const longestPauseMs = 2_000

/**
 * Refunds a request whose client got an error because settling took too long, if Postgres has charged it since. If it
 * was not charged, nothing happens. Waits while the request runs again under its Idempotency-Key: if that run sends a
 * response, the charge pays for it. Never throws.
 */
export async function refundUnanswered(ledger: Ledger, { record, mayBeCharged }: Unanswered): Promise<void> {
  if (!mayBeCharged) return
  const { sql, ids, log } = ledger.context
  const { accountId, requestId } = record
  const arrivedAt = new Date(record.startedAt)
  const pause = openPauses({
    log,
    warning: 'refund of a refused request is still being retried',
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
      if (refunded) ledger.counts.refundedDollars.value += dollars(refunded)
      if (refunded) log.warn({ requestId, refundedNanos: refunded.toString() }, 'refused request refunded')
      if (refunded !== undefined) return
    } catch (error) {
      if (!isTransient(error))
        return log.error({ err: error, requestId }, 'refund of a refused request failed')
      failure = error
    }
    await pause(failure)
  }
}
