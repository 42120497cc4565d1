import type { Ledger } from '../../domain/ledger/ledger.ts'
import { lapseHolds } from '../../domain/ledger/process-row.ts'

/** Gives back a process's holds as if it had been silent for too long; it does not know yet. */
export async function lapseHoldsOf({ context: { sql }, processId }: Ledger): Promise<void> {
  await sql`update processes set heartbeat_at = '-infinity' where id = ${processId}`
  await lapseHolds({ sql })
}
