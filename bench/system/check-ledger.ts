import type { Context } from '../../domain/context.ts'
import { findLedgerFaults } from '../../test/harness/ledger-faults.ts'

/** Requests that the system has settled as answered, each with its charge, up to now. */
export async function countSettled({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const [row] = await sql<{ settled: number }[]>`
    select count(*)::int as settled from request_logs where status = 200 and cost_nanos > 0`
  return row?.settled ?? 0
}

/** Describes the faults of the books: violated invariants, and responses that were not charged exactly once. */
export async function checkLedger(
  context: Pick<Context, 'sql'>,
  { settledBefore, answers }: { settledBefore: number; answers: number },
): Promise<string[]> {
  await context.sql`analyze transactions, request_logs, holds` // else the planner still believes in empty tables
  const faults = await findLedgerFaults(context.sql)
  const told = faults.map(({ fault, account_id }) => `ledger: ${fault} (account ${account_id})`)
  const settled = (await countSettled(context)) - settledBefore
  if (settled !== answers) told.push(`ledger: ${answers} answers, but ${settled} charges`)
  return told
}
