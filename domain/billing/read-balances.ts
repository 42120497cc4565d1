import type { Context } from '../context.ts'

/** What an account owns, what work in progress has reserved of it, and what is left to spend. */
export interface Balance {
  creditsNanos: bigint
  /** Reserved for tasks and requests in flight (README, decisions: `held` as shown). */
  heldNanos: bigint
  /** Credits minus held. */
  availableNanos: bigint
}

/**
 * Reads the balances of many accounts in one statement, each as it stood at one moment. An account that never
 * had money has zero of everything.
 */
export async function readBalances(
  { sql }: Pick<Context, 'sql'>,
  { accountIds }: { accountIds: readonly string[] },
): Promise<Map<string, Balance>> {
  const rows = await sql<{ account_id: string; credits: bigint; held: bigint }[]>`
    select b.account_id, b.credits_nanos as credits, coalesce(sum(h.in_use_nanos), 0)::bigint as held
    from balances b
    left join holds h on h.account_id = b.account_id
    where b.account_id = any(${accountIds}::uuid[])
    group by b.account_id`
  const known = new Map(rows.map(row => [row.account_id, balanceOf(row.credits, row.held)]))
  return new Map(accountIds.map(id => [id, known.get(id) ?? balanceOf(0n, 0n)]))
}

function balanceOf(creditsNanos: bigint, heldNanos: bigint): Balance {
  return { creditsNanos, heldNanos, availableNanos: creditsNanos - heldNanos }
}
