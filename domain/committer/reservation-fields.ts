import type { HoldOwner, Reservation } from '../ledger/hold.ts'
import { ownerFields, type ReservationFields } from './messages.ts'

/** A reservation that the committer keeps. */
export interface RemoteReservation extends Reservation {
  /** Its number, by which messages name it. */
  readonly number: number
  owner: HoldOwner
}

/** Returns a reservation as messages state it. */
export function reservationFields({
  number,
  owner,
  amountNanos,
  revision,
}: RemoteReservation): ReservationFields {
  return [number, ownerFields(owner), String(amountNanos), String(revision)]
}
