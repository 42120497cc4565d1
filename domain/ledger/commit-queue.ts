import { setTimeout as sleep } from 'node:timers/promises'
import { assignFreeAmount, growthRequest, refuseWaiting, retryShortHolds, serveGrant } from './grow-hold.ts'
import { dropStale, freeNanos, type Hold, headroomToKeepNanos, needNanos } from './hold.ts'
import type { CommitItem, CommitResult, Ledger, Settlement } from './ledger.ts'
import { releaseUnanswered } from './request-record.ts'
import { type Batch, type Charge, sendBatch, type Target } from './send-batch.ts'

/** Rows of an account that others have locked are sent again after so long, in milliseconds. */
const busyRestMs = 50

/**
 * Commits one batch of the queue as one statement: charges, then the amounts that holds shall have, then growth.
 * Once assembled, the batch is sent until it commits; the holds in memory already are as it leaves them. Rows of an
 * account that others have locked follow with a later batch, and so does a request that is named twice: the results of
 * these are promises.
 */
export async function commitBatch(
  ledger: Ledger,
  items: CommitItem[],
): Promise<(CommitResult | Promise<CommitResult>)[]> {
  const settlements = new Map<string, Settlement>()
  const growing: Hold[] = []
  const holds = new Set<Hold>()
  for (const item of items) {
    if (item.kind === 'settle') {
      if (!settlements.has(item.record.requestId)) settlements.set(item.record.requestId, item)
    } else if (item.kind !== 'beat') {
      holds.add(item.hold)
      if (item.kind === 'grow') growing.push(item.hold)
    }
  }
  const { recentNeedNanos, uncovered } = takeCosts(settlements.values(), holds)
  for (const hold of holds) {
    dropStale(hold)
    // Where the cap is short, it may have been lowered: what comes back is granted again by Postgres.
    if (hold.shortOf !== 'cap') assignFreeAmount(ledger, hold)
  }
  const held = [...holds]
  const asking = new Set(growing.filter(hold => needNanos(hold) > 0n))
  const batch: Batch = {
    charges: [...settlements.values()]
      .filter(item => !uncovered.has(item))
      // What costs nothing needs no hold: it is logged though the hold has lapsed, or never had a row.
      .map(item => ({
        item,
        holdId: item.record.costNanos > 0n ? item.reservation?.hold.id : undefined,
        takenNanos: item.record.costNanos,
      })),
    targets: held.map(hold => targetOf(hold, recentNeedNanos.get(hold) ?? 0n)),
    asks: [...asking].map(hold => ({ holdId: hold.id, row: growthRequest(ledger, hold) })),
  }
  const askedAs = new Map([...asking].map(hold => [hold, hold.id]))

  const answer = await sendBatch(ledger, batch)
  const busy = new Set(answer.busy)
  const outcomeOf = ({ record }: Settlement) =>
    answer.outcomes?.[record.requestId] ?? (busy.has(record.accountId) ? 'busy' : 'refused')
  for (const charge of batch.charges) {
    const { reservation } = charge.item
    const outcome = outcomeOf(charge.item)
    if (outcome === 'busy') putBack(charge)
    // A hold whose row is gone holds nothing; what is in flight on it is backed anew by the next growth.
    else if (reservation && outcome === 'lapsed') reservation.hold.amountNanos = 0n
  }
  held.forEach((hold, at) => {
    if (!busy.has(hold.accountId)) hold.rowNanos = batch.targets[at]!.amountNanos
  })
  for (const hold of growing) {
    if (busy.has(hold.accountId)) continue
    hold.growing = false
    if (answer.isRefused) refuseWaiting(ledger, hold)
    else if (!asking.has(hold)) assignFreeAmount(ledger, hold)
    // Nothing grows beside a lapse: whoever waits is served by the next growth.
    else if (answer.grants && askedAs.get(hold) === hold.id) serveGrant(ledger, hold, answer.grants[hold.id])
  }
  retryShortHolds(ledger, settlements.values())

  const sendLater = (item: CommitItem) => sleep(busyRestMs).then(() => ledger.commits.add(item))
  return items.map(item => {
    if (item.kind === 'beat') return undefined
    if (item.kind !== 'settle') return busy.has(item.hold.accountId) ? sendLater(item) : undefined
    if (uncovered.has(item)) return 'lapsed'
    const outcome = outcomeOf(item)
    if (outcome === 'busy') return sendLater(item)
    return settlements.get(item.record.requestId) === item ? outcome : ledger.commits.add(item)
  })
}

/**
 * Takes each cost out of its hold. Answers the largest sum that a request of each hold had reserved, and the
 * settlements of which the hold has too little: it lapsed while they ran, and has not all of it back.
 */
function takeCosts(settlements: Iterable<Settlement>, holds: Set<Hold>) {
  const recentNeedNanos = new Map<Hold, bigint>()
  const uncovered = new Set<Settlement>()
  for (const item of settlements) {
    releaseUnanswered(item)
    item.mayBeCharged ||= item.record.costNanos > 0n
    if (!item.reservation) continue
    const { record, takesWhatIsThere } = item
    const { hold, amountNanos } = item.reservation
    holds.add(hold)
    hold.reservedNanos -= amountNanos
    if (record.costNanos > hold.amountNanos && takesWhatIsThere) record.costNanos = hold.amountNanos
    if (record.costNanos > hold.amountNanos) uncovered.add(item)
    else hold.amountNanos -= record.costNanos
    if (item.reservation.revision < hold.revision) hold.isStale = true
    if (amountNanos > (recentNeedNanos.get(hold) ?? 0n)) recentNeedNanos.set(hold, amountNanos)
  }
  return { recentNeedNanos, uncovered }
}

/**
 * Puts what a charge took back into its hold, where it waits for a later batch: reserved is just its cost. Else a batch
 * that goes before it would lower the row by that cost, and others would spend it.
 */
function putBack({ item, holdId, takenNanos }: Charge): void {
  const { reservation } = item
  item.mayBeCharged = false
  if (!reservation) return
  const { hold } = reservation
  reservation.amountNanos = takenNanos
  hold.reservedNanos += takenNanos
  // A hold that lapsed meanwhile has another id, and nothing.
  if (holdId === hold.id) hold.amountNanos += takenNanos
}

/**
 * The row that a hold shall have. Headroom beyond what it may keep is given back; where requests wait that it does not
 * serve, all of it is, since it may serve those of another hold.
 */
function targetOf(hold: Hold, recentNeedNanos: bigint): Target {
  const free = freeNanos(hold)
  const isWaiting = hold.waiters.length > 0
  const kept = isWaiting ? (hold.shortOf ? 0n : free) : headroomToKeepNanos(hold, recentNeedNanos)
  if (free > kept) hold.amountNanos -= free - kept
  hold.shownNanos = hold.reservedNanos
  const { accountId, keyId, id, rowNanos, amountNanos, reservedNanos } = hold
  return {
    accountId,
    keyId,
    holdId: id,
    beforeNanos: rowNanos,
    amountNanos,
    inUseNanos: reservedNanos < amountNanos ? reservedNanos : amountNanos,
  }
}
