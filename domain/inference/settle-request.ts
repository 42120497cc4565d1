import { trySpendHere } from '../allowances/spend.ts'
import type { Reservation } from '../ledger/hold.ts'
import type { RequestRecord } from '../ledger/request-record.ts'
import { settle } from '../ledger/settle.ts'
import { capped, type Explanation } from '../pricing/calculate-price.ts'
import { keepTerms } from '../pricing/kept-terms.ts'
import { correctTokens } from '../rates/check-rate.ts'
import type { Allowed } from './check-key-and-rate.ts'
import type { Inference } from './open-inference.ts'

/** What a request of any modality is settled with, beside its record. */
export interface RequestSettlement {
  allowed: Allowed
  /** Absent where nothing was held: the customer's own credential, or a request that failed before. */
  reservation: Reservation | undefined
  /** What it costs; absent where it is not charged. */
  price: Explanation | undefined
  /** The client has a part of the answer, or has left: it is charged however long settling takes. */
  isDelivered: boolean
}

/**
 * Settles a request: charges its price, or releases its hold, and logs it. `record` then says what was charged.
 * Resolves when that is durable. Throws what `settle` throws.
 */
export function settleRequest(
  { context, ledger, rates }: Inference,
  record: RequestRecord,
  { allowed, reservation, price, isDelivered }: RequestSettlement,
): Promise<void> {
  record.transactionId = context.ids.tagged('txn_')
  record.durationMs = context.clock.monotonic() - record.begunAt
  if (price) {
    record.costNanos = price.amountNanos
    record.costTerms = chargedNanos => keepTerms(capped(price, chargedNanos).terms)
  }
  // A request that was refused has only its log row to write, which the allowance bounds. It has no hold, and no answer of
  // the account's own credential has begun.
  const isRefused = !reservation && record.byokId === null && record.status >= 400
  const isLogged = !isRefused || trySpendHere(context.allowances, allowed.key, 'refused_rows')
  const settled = isLogged ? settle(ledger, reservation, record, { isDelivered }) : Promise.resolve()
  return settled.then(() => {
    const { promptTokens, completionTokens } = record.usage
    const { request, result } = allowed
    void correctTokens(rates, { request, result, tokens: promptTokens + completionTokens })
  })
}
