import { type Patience, waitWithPatience } from '../../platform/patience.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { answerTimeoutMs, type Ledger, lapseAfterMs } from './ledger.ts'

/**
 * Registers this process in Postgres, under an ID that was never sent before, so that a late registration belongs to
 * no process. Does nothing if the process is registered. Rejects if the statement fails.
 */
export async function register(ledger: Ledger): Promise<void> {
  if (ledger.isRegistered) return
  const id = ledger.context.ids.uuid()
  await ledger.connection.run(sql => sql`insert into processes (id, kind) values (${id}, ${ledger.kind})`)
  ledger.processId = id
  ledger.isRegistered = true
}

/**
 * Resets all holds after Postgres has deleted the process's row and let its holds lapse. They restart empty with new
 * IDs. Requests in flight are backed again when they settle.
 */
export function forgetLapsedHolds(ledger: Ledger): void {
  const { log, ids } = ledger.context
  log.warn({ processId: ledger.processId, holds: ledger.holds.size }, 'the holds of this process have lapsed')
  ledger.isRegistered = false
  for (const hold of ledger.holds.values()) {
    hold.id = ids.uuid()
    hold.amountNanos = 0n
    hold.maxHeadroomNanos = 0n
    hold.unpostedModel = undefined
  }
}

/**
 * Sends a heartbeat and checks that the holds are still valid: an empty flush behind the queued ones. A flush that
 * Postgres receives after a later one changes nothing and does not extend the time for which the holds may be used.
 * Throws `unavailable` if Postgres does not respond in time.
 */
export async function beat(ledger: Ledger, patience: Patience = { leftMs: answerTimeoutMs }): Promise<void> {
  ledger.beating ??= ledger.commits.add({ kind: 'beat' }).finally(() => {
    ledger.beating = undefined
  })
  try {
    await waitWithPatience(patience, ledger.context.clock, ledger.beating)
  } catch (error) {
    throw new Problem('unavailable', { retryAfterSeconds: 1, cause: error })
  }
  if (ledger.context.clock.monotonic() > ledger.trustedUntil)
    throw new Problem('unavailable', { retryAfterSeconds: 1 })
}

/** Releases the holds of processes whose heartbeat stopped. Resolves to the number of lapsed holds. */
export async function lapseHolds(context: Pick<Context, 'sql'>): Promise<number> {
  const [row] = await context.sql<{ lapsed: number }[]>`
    select lapse_holds(${`${lapseAfterMs} ms`}::interval) as lapsed`
  return row?.lapsed ?? 0
}
