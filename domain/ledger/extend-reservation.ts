import type { Amounts, HeldReservation } from './hold.ts'
import type { Ledger } from './ledger.ts'
import { isShort, reserve } from './reserve.ts'

/** Maximum wait of a growing reservation for money that other requests hold, in milliseconds. */
const patienceMs = 500

/** The growth of a reservation. */
export interface Extension {
  /** The key's revision as the request knows it. */
  keyRevision?: bigint
  /** The amount to add, in nano-dollars. */
  moreNanos: bigint
  /** The minimum that is useful. If less is available, nothing is added. */
  minimumNanos: bigint
}

/**
 * Grows a reservation in flight by up to `moreNanos`: in memory if the hold has headroom, or else by growing the
 * hold. It can be called repeatedly while a response is produced, but not concurrently for one reservation. Resolves
 * to the added amount in nano-dollars: 0n if balance, cap or a budget are below the minimum. Throws `unavailable` if Postgres
 * does not respond; nothing is added then.
 */
export async function extendReservation(
  ledger: Ledger,
  reservation: HeldReservation,
  { keyRevision, moreNanos, minimumNanos }: Extension,
): Promise<bigint> {
  if (moreNanos <= 0n) return 0n
  const amounts: Amounts = {
    amountNanos: moreNanos,
    minimumNanos: minimumNanos > moreNanos ? moreNanos : minimumNanos,
  }
  const { accountId, keyId, budgets } = reservation.hold
  try {
    const more = await reserve(ledger, {
      accountId,
      keyId,
      budgets,
      ...(keyRevision !== undefined && { keyRevision }),
      ...amounts,
      patienceMs,
    })
    // A reservation of zero does not keep its hold, so the key may have another hold by now.
    reservation.hold = more.hold
    reservation.amountNanos += more.amountNanos
    return more.amountNanos
  } catch (error) {
    if (isShort(error)) return 0n
    throw error
  }
}
