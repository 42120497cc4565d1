import { setTimeout as sleep } from 'node:timers/promises'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import { assignFreeAmount, growthRequest, rejectWaiters, retryShortHolds, serveGrant } from './grow-hold.ts'
import { dropStale, freeNanos, type Hold, headroomToKeepNanos, needNanos, wasShort } from './hold.ts'
import type { CommitItem, CommitResult, Ledger, Settlement } from './ledger.ts'
import { releaseUnanswered } from './request-record.ts'
import { type Batch, type BatchAnswer, type Charge, type HoldTarget, sendBatch } from './send-batch.ts'

/** Delay before rows of a locked account are sent again, in milliseconds. */
const busyRestMs = 50

/**
 * Commits one batch of the queue in one statement: charges, then the amounts of holds, then growths. An assembled
 * batch is sent until it commits; the holds in memory already have the state after it. Rows of an account that
 * another transaction has locked follow in a later batch, as does a request that is in the batch twice. The results
 * of these items are promises.
 */
export async function commitBatch(
  ledger: Ledger,
  items: CommitItem[],
): Promise<(CommitResult | Promise<CommitResult>)[]> {
  const { settlements, growing, holds } = gather(items)
  const { recentNeedNanos, uncovered } = takeCosts(settlements.values(), holds)
  for (const hold of holds) {
    dropStale(hold)
    // If the cap or a budget is too low, it may have been lowered: Postgres must grant released money again.
    if (hold.shortOf === undefined || hold.shortOf === 'balance') assignFreeAmount(ledger, hold)
  }
  const held = [...holds]
  const growths: Growths = {
    growing,
    asked: new Map(growing.filter(hold => needNanos(hold) > 0n).map(hold => [hold, hold.id])),
  }
  const batch: Batch = {
    charges: [...settlements.values()]
      .filter(item => !uncovered.has(item))
      // A free request needs no hold: it is logged even if the hold has lapsed or never had a row.
      .map(item => ({
        item,
        holdId: item.record.costNanos > 0n ? item.reservation?.hold.id : undefined,
        takenNanos: item.record.costNanos,
      })),
    targets: held.map(hold => targetOf(hold, recentNeedNanos.get(hold) ?? 0n)),
    asks: Array.from(growths.asked.keys(), hold => ({
      holdId: hold.id,
      isShort: wasShort(hold), // `growthRequest` changes the last growth
      row: growthRequest(ledger, hold),
    })),
  }

  const sentAt = ledger.context.clock.monotonic()
  const answer = await sendBatch(ledger, batch)
  ledger.counts.batchRows.observe(items.length)
  const durationMs = ledger.context.clock.monotonic() - sentAt
  ledger.counts.batchSeconds.observe(durationMs / 1000)
  if (ledger.context.tracing) traceBatch(ledger.context.tracing, batch, durationMs)
  const busy = new Set(answer.busy)
  const outcomeOf = ({ record }: Settlement) =>
    answer.outcomes?.[record.requestId] ?? (busy.has(record.accountId) ? 'busy' : 'refused')
  for (const charge of batch.charges) applyOutcome(charge, outcomeOf(charge.item))
  held.forEach((hold, at) => {
    if (!busy.has(hold.accountId)) hold.rowNanos = batch.targets[at]!.amountNanos
  })
  endGrowths(ledger, growths, { answer, busy })
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

/** Maximum number of requests that the span of a batch names. */
const maxTracedRequests = 20

function traceBatch(tracing: Tracing, { charges, asks }: Batch, durationMs: number): void {
  const requestIds = charges.slice(0, maxTracedRequests).map(({ item }) => item.record.requestId)
  const attributes = {
    'rubicon.request_id': requestIds.join(' '),
    'rubicon.charges': charges.length,
    'rubicon.growths': asks.length,
  }
  tracing.start('commit batch', { agoMs: durationMs, attributes }).end()
}

/** Returns the first settlement of each request, the holds that grow, and all holds without a settlement. */
function gather(items: CommitItem[]) {
  const settlements = new Map<string, Settlement>()
  const growing: Hold[] = []
  const holds = new Set<Hold>()
  for (const item of items) {
    if (item.kind === 'beat') continue
    if (item.kind === 'settle') {
      if (!settlements.has(item.record.requestId)) settlements.set(item.record.requestId, item)
      continue
    }
    holds.add(item.hold)
    if (item.kind === 'grow') growing.push(item.hold)
  }
  return { settlements, growing, holds }
}

/**
 * Subtracts each cost from its hold. Returns the largest amount that a settled request of each hold had reserved, and
 * the settlements that their hold cannot cover: it lapsed while they ran and has not been fully backed since.
 */
function takeCosts(settlements: Iterable<Settlement>, holds: Set<Hold>) {
  const recentNeedNanos = new Map<Hold, bigint>()
  const uncovered = new Set<Settlement>()
  for (const item of settlements) {
    releaseUnanswered(item)
    item.mayBeCharged ||= item.record.costNanos > 0n
    if (!item.reservation) continue
    const { record, takesAvailable } = item
    const { hold, amountNanos } = item.reservation
    holds.add(hold)
    hold.reservedNanos -= amountNanos
    if (record.costNanos > hold.amountNanos && takesAvailable) record.costNanos = hold.amountNanos
    if (record.costNanos > hold.amountNanos) uncovered.add(item)
    else hold.amountNanos -= record.costNanos
    if (item.reservation.revision < hold.revision) hold.isStale = true
    if (amountNanos > (recentNeedNanos.get(hold) ?? 0n)) recentNeedNanos.set(hold, amountNanos)
  }
  return { recentNeedNanos, uncovered }
}

/** Adjusts the hold of a charge that was not settled. */
function applyOutcome(charge: Charge, outcome: 'settled' | 'lapsed' | 'busy' | 'refused'): void {
  const { reservation } = charge.item
  if (outcome === 'busy') restoreCost(charge)
  // A hold without a row holds nothing. The next growth backs its requests in flight again.
  else if (reservation && outcome === 'lapsed') reservation.hold.amountNanos = 0n
}

/**
 * Returns to its hold the cost of a charge that waits for a later batch. Of the charge's reservation, only this cost
 * stays reserved. Otherwise an earlier batch would lower the row by the cost, and other requests could spend it.
 */
function restoreCost({ item, holdId, takenNanos }: Charge): void {
  const { reservation } = item
  item.mayBeCharged = false
  if (!reservation) return
  const { hold } = reservation
  reservation.amountNanos = takenNanos
  hold.reservedNanos += takenNanos
  // If the hold has lapsed, it has another ID and no money.
  if (holdId === hold.id) hold.amountNanos += takenNanos
}

/** The queued growths of a batch. */
interface Growths {
  growing: readonly Hold[]
  /** The holds that requested an amount, with the ID that they had then. */
  asked: ReadonlyMap<Hold, string>
}

/** Ends the growths of all accounts that are not locked, and serves the waiting requests. */
function endGrowths(
  ledger: Ledger,
  { growing, asked }: Growths,
  { answer, busy }: { answer: BatchAnswer; busy: ReadonlySet<string> },
): void {
  for (const hold of growing) {
    if (busy.has(hold.accountId)) continue
    hold.growing = false
    if (answer.isRefused) rejectWaiters(ledger, hold)
    else if (!asked.has(hold)) assignFreeAmount(ledger, hold)
    // A batch with a lapse grows nothing. The next growth serves the waiting requests.
    else if (answer.grants && asked.get(hold) === hold.id) serveGrant(ledger, hold, answer.grants[hold.id])
  }
}

/**
 * Returns the state that the row of a hold must get. Headroom above the allowed amount is released. If requests wait
 * that the hold cannot serve, all headroom is released, because it may serve requests of another hold.
 */
function targetOf(hold: Hold, recentNeedNanos: bigint): HoldTarget {
  const free = freeNanos(hold)
  const isWaiting = hold.waiters.length > 0
  const kept = isWaiting ? (hold.shortOf ? 0n : free) : headroomToKeepNanos(hold, recentNeedNanos)
  if (free > kept) hold.amountNanos -= free - kept
  hold.shownNanos = hold.reservedNanos
  const { id, rowNanos, amountNanos, reservedNanos } = hold
  return {
    hold,
    holdId: id,
    beforeNanos: rowNanos,
    amountNanos,
    inUseNanos: reservedNanos < amountNanos ? reservedNanos : amountNanos,
  }
}
