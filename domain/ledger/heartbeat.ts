import { within } from '../../platform/within.ts'
import { Problem } from '../../schema/errors.ts'
import { type Ledger, trustMs } from './ledger.ts'
import { showHold } from './show-hold.ts'

/**
 * Tells Postgres that this process lives, and for how long it may trust its holds. When the process had been given
 * up, its holds are gone: they start from nothing, and requests in flight are backed anew when they settle.
 * Throws `unavailable` when Postgres does not answer.
 */
export function beat(ledger: Ledger): Promise<void> {
  ledger.beating ??= send(ledger).finally(() => {
    ledger.beating = undefined
  })
  return ledger.beating
}

async function send(ledger: Ledger): Promise<void> {
  const { sql, clock, log } = ledger.context
  const sentAt = clock.now()
  try {
    const beaten = sql<{ known: boolean }[]>`
      insert into processes (id, kind) values (${ledger.processId}, ${ledger.kind})
      on conflict (id) do update set heartbeat_at = now() returning xmax <> 0 as known`
    const [row] = await within(trustMs / 3, beaten)
    if (!row?.known && ledger.trustedUntil > 0) {
      log.warn({ processId: ledger.processId }, 'the holds of this process had lapsed')
      for (const hold of ledger.holds.values()) {
        hold.amountNanos = 0n
        // A row that came back meanwhile is emptied: nobody here counts on it.
        showHold(ledger, hold)
      }
    }
    ledger.trustedUntil = sentAt + trustMs
  } catch (error) {
    throw new Problem('unavailable', { retryAfterSeconds: 1, cause: error })
  }
}
