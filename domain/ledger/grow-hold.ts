import type { Column } from '../../platform/postgres/row-text.ts'
import { Problem } from '../../schema/errors.ts'
import { demandNanos, freeNanos, type Hold, needNanos, type Waiter } from './hold.ts'
import type { Lane } from './lane.ts'

/** A hold that grows again within this time grows in steps that double. */
const busyMs = 1_000

/** What a growth answers for one hold: its amount now, the room that it may keep, what there was too little of. */
export interface Grant {
  /** Null where nothing was added to a hold without a row. */
  amount: string | null
  room_limit: string
  short_of: 'balance' | 'cap' | null
}

/**
 * What a hold asks for: exactly what those who wait need, and room ahead, which a rich balance grants. A busy hold
 * asks for twice as much as before, up to what the last answer said that it may keep.
 */
export function askOf(lane: Lane, hold: Hold): Column[] {
  const now = lane.clock.now()
  const demand = demandNanos(hold)
  const doubled = now - hold.lastGrowthAt < busyMs ? hold.lastAheadNanos * 2n : 0n
  const most = hold.roomLimitNanos
  const ahead = doubled < most ? doubled : most
  hold.lastAheadNanos = ahead > demand ? ahead : demand
  hold.lastGrowthAt = now
  const { accountId, id, keyId, lastAheadNanos } = hold
  return [accountId, id, keyId, lane.processId, needNanos(hold), lastAheadNanos, demand]
}

/**
 * Gives what is free to those who wait, first come first served. Where the balance or the cap was short, whoever
 * cannot be served is refused: `insufficient_credits`, `credit_limit_reached`. Others wait for the next growth.
 */
export function serveWaiting(lane: Lane, hold: Hold, asked: boolean, grant: Grant | undefined): void {
  if (grant) {
    if (grant.amount !== null) hold.amountNanos = BigInt(grant.amount)
    hold.roomLimitNanos = BigInt(grant.room_limit)
  }
  // An account without a balance row is not in the answer: it has nothing.
  const shortOf = asked && !grant ? 'balance' : (grant?.short_of ?? null)
  const unserved = hold.waiters.filter(waiter => !serve(hold, waiter, shortOf !== null))
  hold.waiters = shortOf ? [] : unserved
  if (!shortOf) return
  hold.lastAheadNanos = 0n
  const name = shortOf === 'cap' ? 'credit_limit_reached' : 'insufficient_credits'
  for (const waiter of unserved) waiter.refuse(new Problem(name, { shouldRetry: false }))
  // What was granted and helps nobody goes back at once.
  if (freeNanos(hold) > 0n) lane.giveBack(hold)
}

/** Refuses all who wait: the ledger could not be asked. */
export function refuseWaiting(hold: Hold): void {
  const refused = hold.waiters
  hold.waiters = []
  for (const waiter of refused) waiter.refuse(new Problem('unavailable', { retryAfterSeconds: 1 }))
}

function serve(hold: Hold, waiter: Waiter, takeWhatIsThere: boolean): boolean {
  const free = freeNanos(hold)
  if (waiter.amountNanos > free && takeWhatIsThere) Object.assign(waiter, waiter.whenShort?.())
  const amountNanos = waiter.amountNanos <= free ? waiter.amountNanos : free
  if (amountNanos < waiter.amountNanos && (!takeWhatIsThere || amountNanos < waiter.minimumNanos))
    return false
  hold.reservedNanos += amountNanos
  waiter.grant(amountNanos)
  return true
}
