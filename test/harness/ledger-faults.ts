import { reconcileAll } from '../../domain/ledger/reconcile.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'

export interface LedgerFault {
  fault: string
  account_id: string
}

/**
 * Where the ledger breaks one of its invariants, over every account; empty at every moment of a right ledger. What
 * `npm run reconcile` compares, and beside that the counters of keys, and charges whose log is not there.
 */
export async function findLedgerFaults(sql: Sql): Promise<LedgerFault[]> {
  const faults: LedgerFault[] = []
  for await (const { differences } of reconcileAll({ sql }, { batch: 1_000 }))
    faults.push(...differences.map(({ accountId, ...rest }) => ({ account_id: accountId, ...rest })))
  const more = await sql<LedgerFault[]>`
    select 'key counters differ from the log' as fault, k.account_id
    from key_budgets k
    cross join lateral (
      select array_agg(arrived order by period) as arrived, array_agg(settled order by period) as settled
      from unnest(array['day', 'week', 'month']) with ordinality p (name, period) cross join lateral (
        select coalesce(sum(cost_nanos) filter (where created_at >= date_trunc(name, k.counted_at, 'UTC')), 0) as arrived,
          coalesce(sum(cost_nanos) filter (where t.settled_at >= date_trunc(name, k.counted_at, 'UTC')), 0) as settled
        from request_logs l left join (
          select request_id, max(created_at) as settled_at from transactions
          where account_id = k.account_id and payment_method = 'usage' and request_id is not null group by 1
        ) t on t.request_id = l.id
        where l.account_id = k.account_id and l.api_key_id = k.key_id
      ) sums
    ) spent
    -- A request that arrived before the period counts in it where its money was granted in it.
    where exists (
      select from unnest(array[k.day_spent_nanos, k.week_spent_nanos, k.month_spent_nanos], spent.arrived, spent.settled)
        c (counted, arrived, settled)
      where counted < arrived or counted > greatest(arrived, settled))
    union all
    select 'usage transaction without its log', t.account_id
    from transactions t left join request_logs l on l.account_id = t.account_id and l.id = t.request_id
    where t.request_id is not null and l.id is null
    union all
    select 'ended task without its log', t.account_id
    from tasks t left join request_logs l on l.account_id = t.account_id and l.id = t.request_id
    where t.finished_at is not null and l.cost_nanos is distinct from t.cost_nanos
    union all
    select 'usage counters differ from the log', coalesce(l.account_id, c.account_id)
    from (
      select r.account_id, (r.created_at at time zone 'UTC')::date as day, r.api_key_id, coalesce(r.model, '') as model,
        p.place as end_user_place,
        array[count(*), count(*) filter (where r.status >= 400 and r.status <> 499), sum(r.prompt_tokens),
          sum(r.cached_tokens), sum(r.cache_creation_tokens), sum(r.completion_tokens), sum(r.reasoning_tokens),
          sum(r.cost_nanos)]::numeric[] as figures
      from request_logs r
      left join usage_end_users u on u.account_id = r.account_id and u.end_user = r.end_user
        and u.day = (r.created_at at time zone 'UTC')::date
      cross join lateral unnest(
        case when r.end_user <> '' then array[0, coalesce(u.place, -1)] else array[0] end) p (place)
      group by 1, 2, 3, 4, 5
    ) l
    full join (
      select account_id, day, api_key_id, model, end_user_place, array[requests, failed_requests, prompt_tokens,
        cached_tokens, cache_creation_tokens, completion_tokens, reasoning_tokens, cost_nanos]::numeric[] as figures
      from usage_counters
    ) c using (account_id, day, api_key_id, model, end_user_place)
    where coalesce(l.figures, array_fill(0::numeric, array[8])) <> coalesce(c.figures, array_fill(0::numeric, array[8]))`
  return [...faults, ...more]
}
