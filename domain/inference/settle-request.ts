import { NoAnswerInTime, withTimeout } from '../../platform/clock.ts'
import { trySpendHere } from '../allowances/spend.ts'
import type { Reservation } from '../ledger/hold.ts'
import { answerTimeoutMs } from '../ledger/ledger.ts'
import { clean, type RequestRecord, timeOf } from '../ledger/request-record.ts'
import { capped, type Explanation } from '../pricing/calculate-price.ts'
import { keepTerms } from '../pricing/kept-terms.ts'
import type { LatencyCounts } from '../usage/latency-counts.ts'
import { type Allowed, countsTokens } from './check-key-and-rate.ts'
import type { Inference } from './open-inference.ts'

/** The settlement of a request of any modality, beside its record. */
export interface RequestSettlement {
  allowed: Allowed
  /**
   * Undefined if nothing is held: the account's own credential was used, or the request failed before its money was
   * held.
   */
  reservation: Reservation | undefined
  /** The cost; undefined if the request is not charged. */
  price: Explanation | undefined
  /** Whether the client has a part of the answer, or has left. It is then charged even if settlement takes long. */
  isDelivered: boolean
}

/**
 * Settles a request: charges its price or releases its hold, and logs it. `record` then has the charge. Resolves when
 * that is durable. The log row of a refused request is awaited only until the request has taken as long as it may wait for
 * Postgres, and is written later. Throws the errors of `settle`.
 */
export function settleRequest(
  { context, ledger, rates, latencies }: Inference,
  record: RequestRecord,
  { allowed, reservation, price, isDelivered }: RequestSettlement,
): Promise<void> {
  record.transactionId = context.ids.tagged('txn_')
  record.durationMs = context.clock.monotonic() - record.begunAt
  if (price) {
    record.costNanos = price.amountNanos
    record.costTerms = chargedNanos => keepTerms(capped(price, chargedNanos).terms)
  }
  // A refused request has no hold, and no own credential has answered. Only its log row is written, which the allowance
  // bounds.
  const isRefused = !reservation && record.byokId === null && record.status >= 400
  const isLogged = !isRefused || trySpendHere(context.allowances, allowed.key, 'refused_rows')
  const settled = isLogged ? ledger.settle(reservation, record, { isDelivered }) : Promise.resolve()
  const awaited = isRefused ? untilLate(settled, answerTimeoutMs - record.durationMs) : settled
  return awaited.then(() => {
    if (isLogged) countLatency(latencies, record)
    const { promptTokens, completionTokens } = record.usage
    const { request, result } = allowed
    if (!countsTokens(request.limits)) return
    void rates.correct({ request, result, tokens: promptTokens + completionTokens })
  })
}

/** Waits for `settled`, but at most `ms`. */
async function untilLate(settled: Promise<unknown>, ms: number): Promise<void> {
  await withTimeout(Math.max(0, ms), settled).catch(error => {
    if (!(error instanceof NoAnswerInTime)) throw error
  })
}

/** Counts how long a request took, if it was answered without an error. */
function countLatency(latencies: LatencyCounts, record: RequestRecord): void {
  const { accountId, keyId, status, model, streamed, durationMs, firstByteMs } = record
  if (status < 200 || status >= 400) return
  latencies.add({
    accountId,
    keyId,
    day: timeOf(record).slice(0, 10),
    model: clean(model) ?? '',
    durationMs,
    firstByteMs: streamed ? firstByteMs : null,
  })
}
