import type { Context } from '../context.ts'

/** The balance of an account. */
export interface Balance {
  accountId: string
  creditsNanos: bigint
  /**
   * The amount reserved for tasks and requests in flight, without the headroom of processes (docs/behaviour.md,
   * Money).
   */
  heldNanos: bigint
  /** Credits minus the held amount. */
  availableNanos: bigint
}

/**
 * Reads the balances of many accounts in one statement, at the same moment. An account that never had money gets
 * zeros.
 */
export async function readBalances(
  { sql }: Pick<Context, 'sql'>,
  { accountIds }: { accountIds: readonly string[] },
): Promise<Balance[]> {
  const rows = await sql<Omit<Balance, 'availableNanos'>[]>`
    select wanted.account_id as "accountId", coalesce(b.credits_nanos, 0) as "creditsNanos",
      (select coalesce(sum(h.in_use_nanos), 0)::bigint from holds h
       where h.account_id = wanted.account_id) as "heldNanos"
    from unnest(${accountIds}::uuid[]) as wanted (account_id)
    left join current_balances b on b.account_id = wanted.account_id`
  return rows.map(row => ({ ...row, availableNanos: row.creditsNanos - row.heldNanos }))
}
