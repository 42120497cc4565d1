import { queueHoldUpdate } from './grow-hold.ts'
import { freeNanos, type Hold } from './hold.ts'
import type { Ledger } from './ledger.ts'

/** An account's headroom is called back at most this often by one process. */
const recallEveryMs = 100

/** The topic on which processes ask each other for headroom. */
export const recallTopic = 'headroom.recalled'

/** Asks every process, this one included, to give back the headroom that it keeps ahead for the account. Does not throw. */
export function recallHeadroom(ledger: Ledger, accountId: string): void {
  const { clock, news } = ledger.context
  const now = clock.monotonic()
  if (now - (ledger.recalledAt.get(accountId) ?? -recallEveryMs) < recallEveryMs) return
  ledger.recalledAt.set(accountId, now)
  releaseHeadroom(ledger, accountId)
  void news.publish(recallTopic, { accountId })
}

/** Gives back what nobody has reserved, of all holds of the account in this process. */
export function releaseHeadroom(ledger: Ledger, accountId: string): void {
  for (const hold of ledger.holds.values()) if (hold.accountId === accountId) giveBack(ledger, hold)
}

/** Gives back what nobody has reserved of one hold: at once in memory, the row follows with the next flush. */
export function giveBack(ledger: Ledger, hold: Hold): void {
  const free = freeNanos(hold)
  hold.maxHeadroomNanos = 0n
  if (free <= 0n || hold.growing) return
  hold.amountNanos -= free
  queueHoldUpdate(ledger, hold)
}
