import { type Patience, waitWithPatience } from '../../platform/patience.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { answerTimeoutMs, type Ledger, lapseAfterMs } from './ledger.ts'

/**
 * Tells Postgres of this process, under an id that was never sent before: a registration that arrives late is that of
 * nobody. Does nothing where Postgres knows the process. Rejects as the statement does.
 */
export async function register(ledger: Ledger): Promise<void> {
  if (ledger.isRegistered) return
  const id = ledger.context.ids.uuid()
  await ledger.connection.run(sql => sql`insert into processes (id, kind) values (${id}, ${ledger.kind})`)
  ledger.processId = id
  ledger.isRegistered = true
}

/**
 * Postgres does not know the process any more: it was given up, and its holds lapsed. They start from nothing, under
 * other ids; requests in flight are backed anew when they settle.
 */
export function forgetLapsedHolds(ledger: Ledger): void {
  const { log, ids } = ledger.context
  log.warn({ processId: ledger.processId, holds: ledger.holds.size }, 'the holds of this process had lapsed')
  ledger.isRegistered = false
  for (const hold of ledger.holds.values()) {
    hold.id = ids.uuid()
    hold.amountNanos = 0n
    hold.maxHeadroomNanos = 0n
  }
}

/**
 * Tells Postgres that this process lives, and learns whether its holds still stand: by a flush that carries nothing,
 * behind those that are queued. One that Postgres takes after a later one changes nothing, so that no trust comes from
 * it. Throws `unavailable` when Postgres does not answer before the patience ends.
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

/** Gives back the holds of processes whose heartbeat stopped. Resolves to how many lapsed. */
export async function lapseHolds(context: Pick<Context, 'sql'>): Promise<number> {
  const [row] = await context.sql<{ lapsed: number }[]>`
    select lapse_holds(${`${lapseAfterMs} ms`}::interval) as lapsed`
  return row?.lapsed ?? 0
}
