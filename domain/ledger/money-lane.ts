import type { Column } from '../../platform/postgres/row-text.ts'
import { type Batch, sendBatch } from './flush-ledger.ts'
import { askOf, refuseWaiting, serveWaiting } from './grow-hold.ts'
import { freeNanos, type Hold, needNanos, roomToKeepNanos } from './hold.ts'
import type { Lane, LaneItem, LaneResult, Settlement } from './lane.ts'
import { chargeOf } from './request-record.ts'

/**
 * Commits one batch of the lane as one statement: charges, then the amounts that holds shall have, then growth.
 * Once assembled, the batch is sent until it commits; the holds in memory already are as it leaves them.
 */
export async function commitLane(lane: Lane, items: LaneItem[]): Promise<LaneResult[]> {
  const settlements = items.filter(item => item.kind === 'settle')
  const growing = items.flatMap(item => (item.kind === 'grow' ? [item.hold] : []))
  const holds = new Set(items.flatMap(item => (item.kind === 'settle' ? [] : [item.hold])))
  const { recentNeedNanos, uncovered } = consume(settlements, holds)
  const sent = uncovered.size === 0 ? settlements : settlements.filter(item => !uncovered.has(item))
  const asking = growing.filter(hold => needNanos(hold) > 0n)
  const batch: Batch = {
    charges: sent.map(({ record, reservation }) => ({
      requestId: record.requestId,
      // What costs nothing needs no hold: it is logged though the hold has lapsed, or never had a row.
      row: chargeOf(record, record.costNanos > 0n ? reservation?.hold.id : undefined),
    })),
    targets: [...holds].map(hold =>
      targetOf(hold, asking.includes(hold) ? undefined : recentNeedNanos.get(hold)),
    ),
    asks: asking.map(hold => askOf(lane, hold)),
  }

  const answer = await sendBatch(lane, batch)
  for (const hold of growing) hold.growing = false
  const outcomeOf = ({ record }: Settlement) => answer?.outcomes?.[record.requestId] ?? 'refused'
  for (const item of sent) {
    // A hold whose row is gone holds nothing; what is in flight on it is backed anew by the next growth.
    if (item.reservation && outcomeOf(item) === 'lapsed') item.reservation.hold.amountNanos = 0n
  }
  for (const hold of growing) {
    if (!answer) refuseWaiting(hold)
    // Nothing grows beside a lapse: whoever waits is served by the next growth.
    else if (answer.grants || !asking.includes(hold))
      serveWaiting(lane, hold, asking.includes(hold), answer.grants?.[hold.id])
  }

  return items.map(item => {
    if (item.kind !== 'settle') return undefined
    return uncovered.has(item) ? 'lapsed' : outcomeOf(item)
  })
}

/**
 * Takes each cost out of its hold. Answers the largest sum that a request of each hold had reserved, and the
 * settlements of which the hold has too little: it lapsed while they ran, and has not all of it back.
 */
function consume(settlements: Settlement[], holds: Set<Hold>) {
  const recentNeedNanos = new Map<Hold, bigint>()
  const uncovered = new Set<Settlement>()
  for (const item of settlements) {
    if (!item.reservation) continue
    const { record, takesWhatIsThere } = item
    const { hold, amountNanos } = item.reservation
    hold.reservedNanos -= amountNanos
    holds.add(hold)
    if (record.costNanos > hold.amountNanos && takesWhatIsThere) record.costNanos = hold.amountNanos
    if (record.costNanos > hold.amountNanos) uncovered.add(item)
    else hold.amountNanos -= record.costNanos
    if (amountNanos > (recentNeedNanos.get(hold) ?? 0n)) recentNeedNanos.set(hold, amountNanos)
  }
  return { recentNeedNanos, uncovered }
}

/** The row that a hold shall have. Room beyond what it may keep is given back, unless it is about to grow. */
function targetOf(hold: Hold, recentNeedNanos: bigint | undefined): Column[] {
  if (hold.waiters.length === 0) {
    const surplus = freeNanos(hold) - roomToKeepNanos(hold, recentNeedNanos ?? 0n)
    if (surplus > 0n) hold.amountNanos -= surplus
  }
  hold.shownNanos = hold.reservedNanos
  return [hold.accountId, hold.id, hold.amountNanos, hold.reservedNanos]
}
