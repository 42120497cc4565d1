import type { Ledger } from './ledger.ts'

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
    hold.roomLimitNanos = 0n
  }
}
