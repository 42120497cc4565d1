import { extendReservation } from '../ledger/extend-reservation.ts'
import type { HeldReservation } from '../ledger/hold.ts'
import { renewReservation } from '../ledger/renew-reservation.ts'
import { continueReservation, dropReservation, reserve } from '../ledger/reserve.ts'
import {
  budgetsOf,
  ownerOf,
  problemFields,
  type Reply,
  type RequestOf,
  type ReservationFields,
} from './messages.ts'
import type { ServedEdge } from './served-edge.ts'

/** Handles a message about a reservation. */
export function handleReservation(
  edge: ServedEdge,
  message: RequestOf<'reserve' | 'extend' | 'renew' | 'release' | 'restate'>,
): void {
  switch (message[0]) {
    case 'reserve':
      answer(edge, message[1], reserveFor(edge, message))
      break
    case 'extend':
      answer(edge, message[1], extendFor(edge, message))
      break
    case 'renew':
      answer(edge, message[1], renewFor(edge, message))
      break
    case 'release': {
      const reservation = claim(edge, message[1])
      if (reservation) drop(edge, reservation)
      break
    }
    case 'restate':
      edge.reservations.set(message[1][0], restate(edge, message[1]))
  }
}

/** Sends the result of a call, or its error. */
function answer(edge: ServedEdge, call: number, reply: Promise<Reply>): void {
  reply.then(
    sent => edge.messages.send(sent),
    error => edge.messages.send(['failed', call, problemFields(error)]),
  )
}

/**
 * Reserves money. A request that can measure its need does so if too little is available: it withdraws, and reserves
 * again.
 */
async function reserveFor(edge: ServedEdge, message: RequestOf<'reserve'>): Promise<Reply> {
  const [, call, owner, [revision, amount, minimum, leftMs, patienceMs, isMeasurable]] = message
  const patience = { leftMs }
  let isShort = false
  const reservation = await reserve(edge.committer.ledger, {
    ...ownerOf(owner),
    ...(revision !== null && { keyRevision: BigInt(revision) }),
    amountNanos: BigInt(amount),
    minimumNanos: BigInt(minimum),
    patience,
    ...(patienceMs !== null && { patienceMs }),
    ...(isMeasurable && {
      whenShort() {
        isShort = true
        return { amountNanos: 0n, minimumNanos: 0n }
      },
    }),
  })
  if (isShort) return ['short', call, patience.leftMs]
  keepReservation(edge, call, reservation)
  return ['reserved', call, String(reservation.amountNanos), String(reservation.revision), patience.leftMs]
}

/** Keeps a new reservation under the number of its call, or ends it if the edge process has died. */
export function keepReservation(edge: ServedEdge, call: number, reservation: HeldReservation): void {
  if (edge.isGone) drop(edge, reservation)
  else edge.reservations.set(call, reservation)
}

async function extendFor(edge: ServedEdge, message: RequestOf<'extend'>): Promise<Reply> {
  const [, call, number, revision, more, minimum] = message
  const added = await extendReservation(edge.committer.ledger, find(edge, number), {
    ...(revision !== null && { keyRevision: BigInt(revision) }),
    moreNanos: BigInt(more),
    minimumNanos: BigInt(minimum),
  })
  return ['extended', call, String(added)]
}

async function renewFor(edge: ServedEdge, message: RequestOf<'renew'>): Promise<Reply> {
  const [, call, number, revision, budgets, leftMs] = message
  const reservation = find(edge, number)
  const patience = { leftMs }
  await renewReservation(edge.committer.ledger, reservation, {
    keyRevision: BigInt(revision),
    budgets: budgetsOf(budgets),
    patience,
  })
  const { amountNanos, revision: granted } = reservation
  return ['reserved', call, String(amountNanos), String(granted), patience.leftMs]
}

function find({ reservations }: ServedEdge, number: number): HeldReservation {
  const reservation = reservations.get(number)
  if (!reservation) throw new Error(`there is no reservation ${number}`)
  return reservation
}

/** Removes a reservation that settles or ends. */
export function claim({ reservations }: ServedEdge, number: number | null): HeldReservation | undefined {
  const reservation = number === null ? undefined : reservations.get(number)
  if (number !== null) reservations.delete(number)
  return reservation
}

/** Continues a reservation that an earlier committer granted. */
export function restate(
  { committer }: ServedEdge,
  [, owner, amount, revision]: ReservationFields,
): HeldReservation {
  return continueReservation(committer.ledger, {
    ...ownerOf(owner),
    amountNanos: BigInt(amount),
    revision: BigInt(revision),
  })
}

/** Ends a reservation after its renewal, if one is in progress. */
function drop({ committer }: ServedEdge, reservation: HeldReservation): void {
  const { renewing } = reservation
  const end = () => dropReservation(committer.ledger, reservation)
  if (renewing) void renewing.then(end, end)
  else end()
}

/** Ends the reservations of an edge process whose connection has ended. */
export function dropAll(edge: ServedEdge): void {
  for (const reservation of edge.reservations.values()) drop(edge, reservation)
  edge.reservations.clear()
}
