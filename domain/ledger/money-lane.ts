import type { Column } from '../../platform/postgres/row-text.ts'
import { type Batch, sendBatch } from './flush-ledger.ts'
import { askOf, refuseWaiting, serveWaiting } from './grow-hold.ts'
import { freeNanos, type Hold, needNanos, roomToKeepNanos } from './hold.ts'
import type { Lane, LaneItem, LaneResult } from './lane.ts'
import { chargeOf } from './request-record.ts'

/**
 * Commits one batch of the lane as one statement: charges, then the amounts that holds shall have, then growth.
 * Once assembled, the batch is sent until it commits; the holds in memory already are as it leaves them.
 */
export async function commitLane(lane: Lane, items: LaneItem[]): Promise<LaneResult[]> {
  const settlements = items.filter(item => item.kind === 'settle')
  const growing = items.flatMap(item => (item.kind === 'grow' ? [item.hold] : []))
  const holds = new Set(items.flatMap(item => (item.kind === 'settle' ? [] : [item.hold])))
  const recentNeedNanos = consume(settlements, holds)
  const asking = growing.filter(hold => needNanos(hold) > 0n)
  const batch: Batch = {
    charges: settlements.map(({ record, reservation }) => ({
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
  const outcomes = settlements.map(({ record }) => answer?.outcomes?.[record.requestId] ?? 'refused')
  for (const [index, { reservation }] of settlements.entries()) {
    // A hold whose row is gone holds nothing; what is in flight on it is backed anew by the next growth.
    if (outcomes[index] === 'lapsed' && reservation) reservation.hold.amountNanos = 0n
  }
  for (const hold of growing) {
    if (answer) serveWaiting(lane, hold, asking.includes(hold), answer.grants?.[hold.id])
    else refuseWaiting(hold)
  }

  let next = 0
  return items.map(item => (item.kind === 'settle' ? outcomes[next++] : undefined))
}

/** Takes each cost out of its hold. Answers the largest sum that a request of each hold had reserved. */
function consume(settlements: Extract<LaneItem, { kind: 'settle' }>[], holds: Set<Hold>): Map<Hold, bigint> {
  const needNanosOf = new Map<Hold, bigint>()
  for (const { record, reservation } of settlements) {
    if (!reservation) continue
    const { hold, amountNanos } = reservation
    hold.reservedNanos -= amountNanos
    hold.amountNanos -= record.costNanos
    holds.add(hold)
    if (amountNanos > (needNanosOf.get(hold) ?? 0n)) needNanosOf.set(hold, amountNanos)
  }
  return needNanosOf
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
