import { Problem } from '../../schema/errors.ts'
import { freeNanos, type Reservation } from './hold.ts'
import type { Ledger } from './ledger.ts'
import type { RequestRecord } from './request-record.ts'
import { reserve } from './reserve.ts'

/**
 * Turns a reservation into a charge of `record.costNanos` (zero releases it) and logs the request; resolves to what
 * was charged once that is durable. Without a reservation (the customer's own credential) it logs alone.
 *
 * A cost beyond the reservation takes what there is and no more, so that no balance falls below zero. Where the
 * hold lapsed meanwhile, the money is reserved anew: `insufficient_credits` then, and nothing is charged.
 * Throws `internal` when Postgres cannot take the row.
 */
export async function settle(
  ledger: Ledger,
  reservation: Reservation | undefined,
  record: RequestRecord,
): Promise<bigint> {
  if (!reservation && record.costNanos > 0n)
    throw new Problem('internal', { internal: 'a charge needs a reservation' })
  if (reservation) await cover(ledger, reservation, record)
  const outcome = await ledger.lane.add({ kind: 'settle', record, reservation })
  if (outcome === 'settled') return record.costNanos
  if (outcome !== 'lapsed')
    throw new Problem('internal', { internal: `settlement of ${record.requestId} was refused` })
  const { accountId, keyId, costNanos } = record
  const anew = await reserve(ledger, { accountId, keyId, amountNanos: costNanos, minimumNanos: costNanos })
  return settle(ledger, anew, record)
}

/** Makes the reservation cover the cost, from room in memory, by growth, or else by lowering the cost. */
async function cover(ledger: Ledger, reservation: Reservation, record: RequestRecord): Promise<void> {
  const missing = record.costNanos - reservation.amountNanos
  if (missing <= 0n) return
  const { hold } = reservation
  if (freeNanos(hold) >= missing) {
    hold.reservedNanos += missing
    reservation.amountNanos = record.costNanos
    return
  }
  const { accountId, keyId } = record
  try {
    const more = await reserve(ledger, { accountId, keyId, amountNanos: missing, minimumNanos: 1n })
    reservation.amountNanos += more.amountNanos
  } catch (error) {
    ledger.context.log.warn(
      { requestId: record.requestId, missingNanos: missing.toString(), err: error },
      'cost capped',
    )
  }
  if (record.costNanos > reservation.amountNanos) record.costNanos = reservation.amountNanos
}
