import type { Amounts, Reservation } from './hold.ts'
import type { Ledger } from './ledger.ts'
import { isShort, reserve } from './reserve.ts'

/** An answer that is produced waits at most so long for money that other requests hold. */
const patienceMs = 500

/** So much more of the key's hold. */
export interface Extension {
  /** The key's revision that the request knows. */
  keyRevision?: bigint
  /** What would be good to have. */
  moreNanos: bigint
  /** What is of use: nothing is added where there is less. */
  minimumNanos: bigint
}

/**
 * Grows a reservation in flight by up to `moreNanos`: in memory where the hold has headroom, else by growing the hold. Ask
 * it again and again while an answer is produced, one call of a reservation at a time. Resolves to what was added, in
 * nano-dollars: 0n where balance or cap have less than the minimum. Throws `unavailable` when Postgres cannot be asked;
 * nothing was added then.
 */
export async function extendReservation(
  ledger: Ledger,
  reservation: Reservation,
  { keyRevision, moreNanos, minimumNanos }: Extension,
): Promise<bigint> {
  if (moreNanos <= 0n) return 0n
  const amounts: Amounts = {
    amountNanos: moreNanos,
    minimumNanos: minimumNanos > moreNanos ? moreNanos : minimumNanos,
  }
  const { accountId, keyId } = reservation.hold
  try {
    const more = await reserve(ledger, {
      accountId,
      keyId,
      ...(keyRevision !== undefined && { keyRevision }),
      ...amounts,
      patienceMs,
    })
    // A reservation of nothing keeps no hold: the key's may be another by now.
    reservation.hold = more.hold
    reservation.amountNanos += more.amountNanos
    return more.amountNanos
  } catch (error) {
    if (isShort(error)) return 0n
    throw error
  }
}
