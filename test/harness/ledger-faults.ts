import type { Sql } from '../../platform/postgres/open-postgres.ts'

export interface LedgerFault {
  fault: string
  account_id: string
}

/** Where the ledger breaks one of its invariants, over every account; empty at every moment of a right ledger. */
export async function findLedgerFaults(sql: Sql): Promise<LedgerFault[]> {
  const faults = await sql<LedgerFault[]>`
    select 'credits differ from transactions' as fault, b.account_id from balances b
    where credits_nanos <> (select coalesce(sum(credits_nanos), 0) from transactions t where t.account_id = b.account_id)
    union all
    select 'held differs from holds', b.account_id from balances b
    where held_nanos <> (select coalesce(sum(amount_nanos), 0) from holds h where h.account_id = b.account_id)
    union all
    select 'held of key differs from its holds', k.account_id from key_budgets k
    where held_nanos <> (select coalesce(sum(amount_nanos), 0) from holds h
      where h.account_id = k.account_id and h.key_id = k.key_id)
    union all
    select 'key spend differs from transactions', k.account_id
    from key_budgets k
    left join (
      select account_id, api_key_id, -sum(credits_nanos) as spent from transactions group by account_id, api_key_id
    ) t on t.account_id = k.account_id and t.api_key_id = k.key_id
    where k.total_spent_nanos <> coalesce(t.spent, 0)
    union all
    select 'key counters differ from the log', k.account_id
    from key_budgets k
    cross join lateral (
      select coalesce(sum(cost_nanos) filter (where created_at >= date_trunc('day', k.counted_at, 'UTC')), 0) as day,
        coalesce(sum(cost_nanos) filter (where created_at >= date_trunc('week', k.counted_at, 'UTC')), 0) as week,
        coalesce(sum(cost_nanos) filter (where created_at >= date_trunc('month', k.counted_at, 'UTC')), 0) as month
      from request_logs l where l.account_id = k.account_id and l.api_key_id = k.key_id
        and l.created_at >= date_trunc('month', k.counted_at, 'UTC') - interval '7 days'
    ) spent
    where (k.day_spent_nanos, k.week_spent_nanos, k.month_spent_nanos) <> (spent.day, spent.week, spent.month)
    union all
    select 'available below zero', account_id from balances where credits_nanos < held_nanos
    union all
    select 'credits below zero', account_id from balances where credits_nanos < 0
    union all
    select 'hold below zero', account_id from holds where amount_nanos < 0 or in_use_nanos < 0
    union all
    select 'more in use than held', account_id from holds where in_use_nanos > amount_nanos
    union all
    select 'log that differs from its own transactions', l.account_id
    from request_logs l
    left join (
      select account_id, request_id, sum(credits_nanos) as credits,
        count(*) filter (where payment_method = 'usage') as charges,
        count(*) filter (where payment_method = 'refund') as refunds
      from transactions where request_id is not null group by account_id, request_id
    ) t on t.account_id = l.account_id and t.request_id = l.id
    where l.cost_nanos <> coalesce(-t.credits, 0)
      or coalesce(t.charges - t.refunds, 0) <> case when l.cost_nanos > 0 then 1 else 0 end
    union all
    select 'usage transaction without its log', t.account_id
    from transactions t left join request_logs l on l.account_id = t.account_id and l.id = t.request_id
    where t.request_id is not null and l.id is null`
  return [...faults]
}
