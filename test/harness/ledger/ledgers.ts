import { afterEach } from 'vitest'
import type { Ledger } from '../../../domain/ledger/ledger.ts'
import { closeLedger, openLedger } from '../../../domain/ledger/open-ledger.ts'
import { lapseHolds } from '../../../domain/ledger/process-row.ts'
import { aSystem, type TestSystem } from '../a-context.ts'
import { expectLedgerToBalance } from '../invariants.ts'
import { perFile } from '../per-file.ts'

/** One ledger as two processes see it. */
export interface TwoLedgers {
  system: TestSystem
  first: Ledger
  second: Ledger
}

/** Opens the ledgers of a test file. After each test the ledger must balance. */
export function theLedgers(): TwoLedgers {
  const system = perFile(aSystem)
  const open = () => perFile(() => openLedger(system.context, { kind: 'edge' }), closeLedger)
  afterEach(() => expectLedgerToBalance(system.context.sql))
  return { system, first: open(), second: open() }
}

/** Releases a process's holds as if its heartbeat had expired. The process does not know it yet. */
export async function lapseHoldsOf({ context: { sql }, processId }: Ledger): Promise<void> {
  await sql`update processes set heartbeat_at = '-infinity' where id = ${processId}`
  await lapseHolds({ sql })
}
