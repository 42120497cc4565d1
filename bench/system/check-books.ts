import type { Context } from '../../domain/context.ts'
import { findLedgerFaults } from '../../test/harness/ledger-faults.ts'

/**
 * Runs `work` and checks the books after it. Adds a fault for each violated invariant, and one if the number of charges
 * differs from the number of answers.
 */
export async function withBooksChecked<Result extends { answers: number; faults: string[] }>(
  { sql }: Pick<Context, 'sql'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const chargedBefore = await countCharged(sql)
  const result = await work()
  await sql`analyze transactions, request_logs, holds` // else the planner still plans for empty tables
  const faults = (await findLedgerFaults(sql)).map(
    ({ fault, account_id }) => `ledger: ${fault} (account ${account_id})`,
  )
  const charged = (await countCharged(sql)) - chargedBefore
  if (charged !== result.answers) faults.push(`ledger: ${result.answers} answers, but ${charged} charges`)
  return { ...result, faults: [...result.faults, ...faults] }
}

/** Returns the number of answered and charged requests and tasks. */
async function countCharged(sql: Context['sql']): Promise<number> {
  const [row] = await sql<{ charged: number }[]>`
    select count(*)::int as charged from request_logs where status = 200 and cost_nanos > 0`
  return row?.charged ?? 0
}
