import type { Patience } from '../../platform/patience.ts'
import type { Reservation } from '../ledger/hold.ts'
import { answerTimeoutMs } from '../ledger/ledger.ts'
import type { CurrentKey } from '../ledger/renew-reservation.ts'
import type { ReserveRequest } from '../ledger/reserve.ts'
import type { RequestLedger } from './committer.ts'
import type { CallReply, Link } from './link.ts'
import { budgetFields, ownerFields } from './messages.ts'
import type { ProcessRow } from './process-row.ts'
import type { RemoteSettlements } from './remote-settlements.ts'
import type { RemoteReservation } from './reservation-fields.ts'

/** The parts of the ledger of an edge process. */
interface Parts {
  link: Link
  row: ProcessRow
  settlements: RemoteSettlements
  /** The reservations of requests that have not settled, by number. */
  reservations: Map<number, RemoteReservation>
}

/** Returns the operations of the committer's ledger. Each is one message and its reply. */
export function remoteLedger({ link, row, settlements, reservations }: Parts): RequestLedger {
  return {
    get processId() {
      return row.id
    },
    unfinished: new Set(),
    reserve: request => reserve({ link, reservations }, request),
    async extend(reservation, { keyRevision, moreNanos, minimumNanos }) {
      if (moreNanos <= 0n) return 0n
      const { number } = remote(reservation)
      const revision = keyRevision === undefined ? null : String(keyRevision)
      const amounts = [String(moreNanos), String(minimumNanos)] as const
      const reply = await link.call(call => ['extend', call, number, revision, ...amounts])
      if (reply[0] !== 'extended') throw unexpected(reply)
      const added = BigInt(reply[2])
      reservation.amountNanos += added
      return added
    },
    renew(reservation, key) {
      if (!reservation) return undefined
      if (reservation.revision < key.keyRevision) {
        const renewAgain = () => renew(link, remote(reservation), key)
        reservation.renewing = reservation.renewing ? reservation.renewing.then(renewAgain) : renewAgain()
      }
      return reservation.renewing
    },
    settle(reservation, record, { isDelivered = false } = {}) {
      const own = reservation && remote(reservation)
      if (own) reservations.delete(own.number)
      return settlements.settle(own, record, isDelivered)
    },
    recallHeadroom: accountId => link.send(['recall', accountId]),
  }
}

/** Reserves money. If too little is available, the request measures its need, and reserves that. */
async function reserve(
  { link, reservations }: Pick<Parts, 'link' | 'reservations'>,
  { whenShort, ...request }: ReserveRequest,
): Promise<RemoteReservation> {
  const { patience = { leftMs: answerTimeoutMs }, accountId, keyId, budgets } = request
  const { isShort, reply } = await send(link, { ...request, patience, isMeasurable: whenShort !== undefined })
  const final = isShort
    ? await send(link, { ...request, ...whenShort?.(), patience, isMeasurable: false })
    : { reply }
  if (final.reply[0] !== 'reserved') throw unexpected(final.reply)
  const [, number, amount, revision] = final.reply
  const reservation: RemoteReservation = {
    number,
    owner: { accountId, keyId, budgets },
    amountNanos: BigInt(amount),
    revision: BigInt(revision),
  }
  reservations.set(number, reservation)
  return reservation
}

/** Sends a call that reserves. The reply states the patience that is left. */
async function send(
  link: Link,
  request: Omit<ReserveRequest, 'whenShort'> & { patience: Patience; isMeasurable: boolean },
): Promise<{ isShort: boolean; reply: CallReply }> {
  const { keyRevision, amountNanos, minimumNanos, patience, patienceMs = null, isMeasurable } = request
  const revision = keyRevision === undefined ? null : String(keyRevision)
  const { leftMs } = patience
  const reply = await link.call(call => [
    ...(['reserve', call, ownerFields(request)] as const),
    [revision, String(amountNanos), String(minimumNanos), leftMs, patienceMs, isMeasurable],
  ])
  if (reply[0] === 'reserved') patience.leftMs = reply[4]
  if (reply[0] === 'short') patience.leftMs = reply[2]
  return { isShort: reply[0] === 'short', reply }
}

/** While a renewal runs, and after it has failed, the reservation is empty. */
async function renew(
  link: Link,
  reservation: RemoteReservation,
  { keyRevision, budgets, patience }: CurrentKey,
): Promise<void> {
  reservation.revision = keyRevision
  reservation.amountNanos = 0n
  reservation.owner = { ...reservation.owner, budgets }
  const { number } = reservation
  const fields = [number, String(keyRevision), budgetFields(budgets), patience.leftMs] as const
  const reply = await link.call(call => ['renew', call, ...fields])
  if (reply[0] !== 'reserved') throw unexpected(reply)
  patience.leftMs = reply[4]
  reservation.amountNanos = BigInt(reply[2])
  reservation.revision = BigInt(reply[3])
}

function remote(reservation: Reservation): RemoteReservation {
  if (!isRemote(reservation)) throw new Error('the reservation is of another ledger')
  return reservation
}

function isRemote(reservation: Reservation): reservation is RemoteReservation {
  return 'number' in reservation
}

function unexpected([kind]: CallReply): Error {
  return new Error(`unexpected reply ${kind} of the committer`)
}
