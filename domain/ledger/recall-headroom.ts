import { freeNanos, type Hold } from './hold.ts'
import type { Ledger } from './ledger.ts'

/** Minimum interval between two recalls of an account's headroom by one process, in milliseconds. */
const recallIntervalMs = 100

/** The topic on which processes ask each other for headroom. */
export const recallTopic = 'headroom.recalled'

/** Asks every process, including this one, to release the headroom that it keeps for the account. Never throws. */
export function recallHeadroom(ledger: Ledger, accountId: string): void {
  const { clock, news } = ledger.context
  const now = clock.monotonic()
  if (now - (ledger.recalledAt.get(accountId) ?? -recallIntervalMs) < recallIntervalMs) return
  ledger.recalledAt.set(accountId, now)
  releaseHeadroom(ledger, accountId)
  void news.publish(recallTopic, { accountId })
}

/** Releases the unreserved amounts of all holds of the account in this process. */
export function releaseHeadroom(ledger: Ledger, accountId: string): void {
  for (const hold of ledger.holds.values()) if (hold.accountId === accountId) releaseFreeAmount(ledger, hold)
}

/** Releases the unreserved amount of a hold: at once in memory, and in its row with the next flush. */
export function releaseFreeAmount(ledger: Ledger, hold: Hold): void {
  const free = freeNanos(hold)
  hold.maxHeadroomNanos = 0n
  if (free <= 0n || hold.growing) return
  hold.amountNanos -= free
  queueHoldUpdate(ledger, hold)
}

/**
 * Queues an update of the hold's row to the amount that this process has reserved. Never throws: the next flush
 * repeats it.
 */
export function queueHoldUpdate({ commits, context }: Pick<Ledger, 'commits' | 'context'>, hold: Hold): void {
  commits
    .add({ kind: 'show', hold })
    .catch(error => context.log.error({ err: error, holdId: hold.id }, 'updating the row of a hold failed'))
}
