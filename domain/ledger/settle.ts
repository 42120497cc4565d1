import { Problem } from '../../schema/errors.ts'
import { freeNanos, type Reservation } from './hold.ts'
import type { Settlement } from './lane.ts'
import type { Ledger } from './ledger.ts'
import type { RequestRecord } from './request-record.ts'
import { reserve, reserveAnew } from './reserve.ts'

/**
 * Turns a reservation into a charge of `record.costNanos` (zero releases it) and logs the request; resolves to what
 * was charged once that is durable. Without a reservation (the customer's own credential) it logs alone.
 *
 * A cost beyond the reservation takes what there is and no more, so that no balance falls below zero; so does one
 * whose hold lapsed meanwhile. The rest is ours: the vendor has answered.
 * Throws `internal` when Postgres cannot take the row, and `unavailable` when it cannot be asked for a lapsed hold's
 * money; nothing is charged then.
 */
export async function settle(
  ledger: Ledger,
  reservation: Reservation | undefined,
  record: RequestRecord,
): Promise<bigint> {
  if (!reservation && record.costNanos > 0n)
    throw new Problem('internal', { internal: 'a charge needs a reservation' })
  if (reservation) await cover(ledger, reservation, record)
  return (await isSettled(ledger, { record, reservation })) ? record.costNanos : settleAnew(ledger, record)
}

/**
 * Settles a request whose hold lapsed, from whatever balance and cap still have. It ends: a cost that they cannot
 * cover is lowered, and another turn takes another lapse, which is ten silent seconds away.
 */
async function settleAnew(ledger: Ledger, record: RequestRecord): Promise<bigint> {
  const { accountId, keyId, costNanos } = record
  for (;;) {
    const reservation = await reserveAnew(ledger, { accountId, keyId, amountNanos: costNanos })
    if (await isSettled(ledger, { record, reservation, takesWhatIsThere: true })) break
    record.costNanos = costNanos
  }
  if (record.costNanos < costNanos) sayCapped(ledger, record, costNanos - record.costNanos)
  return record.costNanos
}

/** Sends a settlement; answers false when its hold had lapsed. */
async function isSettled(ledger: Ledger, item: Omit<Settlement, 'kind'>): Promise<boolean> {
  const outcome = await ledger.lane.add({ kind: 'settle', ...item })
  if (outcome === 'settled' || outcome === 'lapsed') return outcome === 'settled'
  throw new Problem('internal', { internal: `settlement of ${item.record.requestId} was refused` })
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
    sayCapped(ledger, record, missing, error)
  }
  if (record.costNanos > reservation.amountNanos) record.costNanos = reservation.amountNanos
}

function sayCapped({ context }: Ledger, { requestId }: RequestRecord, missingNanos: bigint, err?: unknown) {
  context.log.warn({ requestId, missingNanos: missingNanos.toString(), err }, 'cost capped')
}
