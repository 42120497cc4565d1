import type { Context } from '../context.ts'

/** The credits of an account, and what its keys ever spent, in nano-dollars. */
export interface CreditTotals {
  creditsNanos: bigint
  spentNanos: bigint
}

/** Reads both totals of an account at the same moment. Spending includes that of revoked keys. */
export async function readCreditTotals(
  { sql }: Pick<Context, 'sql'>,
  { accountId }: { accountId: string },
): Promise<CreditTotals> {
  const [totals] = await sql<CreditTotals[]>`
    select coalesce((select credits_nanos from current_balances where account_id = ${accountId}), 0) as "creditsNanos",
      coalesce(sum(total_spent_nanos), 0)::bigint as "spentNanos"
    from current_key_budgets where account_id = ${accountId}`
  return totals ?? { creditsNanos: 0n, spentNanos: 0n }
}
