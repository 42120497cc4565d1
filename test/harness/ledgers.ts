import type { Ledger } from '../../domain/ledger/ledger.ts'
import { closeLedger, openLedger } from '../../domain/ledger/open-ledger.ts'
import { lapseHolds } from '../../domain/ledger/process-row.ts'
import { aSystem, type TestSystem } from './a-context.ts'

/** Two processes' sides of one ledger. */
export interface TwoLedgers {
  system: TestSystem
  first: Ledger
  second: Ledger
  close(): Promise<void>
}

export async function twoLedgers(): Promise<TwoLedgers> {
  const system = await aSystem()
  const first = await openLedger(system.context, { kind: 'edge' })
  const second = await openLedger(system.context, { kind: 'edge' })
  return {
    system,
    first,
    second,
    async close() {
      await closeLedger(first)
      await closeLedger(second)
      await system.close()
    },
  }
}

/** Gives back a process's holds as if it had been silent for too long; it does not know yet. */
export async function lapseHoldsOf({ context: { sql }, processId }: Ledger): Promise<void> {
  await sql`update processes set heartbeat_at = '-infinity' where id = ${processId}`
  await lapseHolds({ sql })
}
