import { expect } from 'vitest'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { TestSystem } from './a-context.ts'
import { findLedgerFaults } from './ledger-faults.ts'

/** The four invariants of the ledger, over every account: they hold at every moment. */
export async function expectLedgerToBalance(sql: Sql): Promise<void> {
  expect(await findLedgerFaults(sql)).toEqual([])
}

/** The balance in nano-dollars. */
export async function balanceOf(sql: Sql, accountId: string) {
  const [row] = await sql<{ credits: bigint; held: bigint; in_use: bigint }[]>`
    select credits_nanos as credits, held_nanos as held,
      (select coalesce(sum(in_use_nanos), 0)::bigint from holds h where h.account_id = b.account_id) as in_use
    from current_balances b where account_id = ${accountId}`
  if (!row) throw new Error('no such account')
  return row
}

/** The log rows of a client's requests, oldest first. */
export async function logsOf(
  { context: { sql } }: Pick<TestSystem, 'context'>,
  { accountId }: { accountId: string },
) {
  return [...(await sql`select * from request_logs where account_id = ${accountId} order by created_at, id`)]
}
