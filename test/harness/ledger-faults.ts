import { reconcileAll } from '../../domain/ledger/reconcile.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'

export interface LedgerFault {
  fault: string
  account_id: string
}

/**
 * Throws if the books differ after all processes have ended: before the collected charges are posted, or after they are
 * posted and the holds of killed processes are released.
 */
export async function requireBalancedBooks(sql: Sql): Promise<void> {
  const [moved] =
    await sql`select account_id from transactions union all select account_id from holds limit 1`
  if (!moved) return
  const unposted = await differencesAtTheEnd(sql)
  await sql`select post_accounts(array(select account_id from balances order by 1))`
  await sql`select lapse_holds(interval '-1 day')`
  const posted = await differencesAtTheEnd(sql)
  const held = await sql<{ id: string }[]>`select id from holds where process_id is not null`
  const left = held.map(({ id }) => `a hold of a process is left: ${id}`)
  const faults = new Set([...unposted, ...posted, ...left])
  if (faults.size > 0) throw new Error(`The books do not balance:\n${[...faults].join('\n')}`)
}

/** Holds of killed processes are expected. */
async function differencesAtTheEnd(sql: Sql): Promise<string[]> {
  const found: string[] = []
  for await (const { differences } of reconcileAll({ sql }, { batch: 1_000 }))
    for (const { accountId, fault, subject, expectedNanos, foundNanos } of differences)
      if (fault !== 'a hold is of a process that has ended')
        found.push(`${accountId}: ${fault} (${subject}): expected ${expectedNanos}, found ${foundNanos}`)
  return found
}

/**
 * Where the ledger breaks one of its invariants, over every account; empty at every moment of a right ledger. What
 * `npm run reconcile` compares, and the counters of keys and of usage.
 */
export async function findLedgerFaults(sql: Sql): Promise<LedgerFault[]> {
  const faults: LedgerFault[] = []
  for await (const { differences } of reconcileAll({ sql }, { batch: 1_000 }))
    faults.push(...differences.map(({ accountId, ...rest }) => ({ account_id: accountId, ...rest })))
  const more = await sql.begin(async transaction => {
    // On Citus, distributed tables cannot join others, so the query reads copies. The nodes have no common snapshot, so nothing
    // may change between the reads.
    await transaction.unsafe(`
      do $$ begin
        if runs_on_citus() then
          lock table balances, holds in exclusive mode;
          perform await_second_phases();
        end if;
      end $$`)
    for (const table of ['request_logs', 'transactions'])
      await transaction.unsafe(
        `create temporary table ${table} on commit drop as select * from public.${table}`,
      )
    return countersThatDiffer(transaction)
  })
  return [...faults, ...more]
}

function countersThatDiffer(sql: Pick<Sql, 'unsafe'>): Promise<LedgerFault[]> {
  return sql.unsafe<LedgerFault[]>(`
    select distinct 'key counters differ from the log' as fault, account_id
    from (
      -- The tables are joined once: the planner has no statistics of a new database and would scan them for each key.
      select k.account_id, p.counted,
        coalesce(sum(l.cost_nanos) filter (where l.created_at >= date_trunc(p.name, k.counted_at, 'UTC')), 0) as arrived,
        coalesce(sum(l.cost_nanos) filter (where l.settled_at >= date_trunc(p.name, k.counted_at, 'UTC')), 0) as settled
      from current_key_budgets k
      cross join unnest(array['day', 'week', 'month'], array[k.day_spent_nanos, k.week_spent_nanos, k.month_spent_nanos])
        p (name, counted)
      left join (
        select r.account_id, r.api_key_id, r.cost_nanos, r.created_at, t.settled_at
        from request_logs r left join (
          select account_id, request_id, max(created_at) as settled_at from transactions
          where payment_method = 'usage' and request_id is not null group by 1, 2
        ) t on t.account_id = r.account_id and t.request_id = r.id
        where r.cost_nanos <> 0
      ) l on l.account_id = k.account_id and l.api_key_id = k.key_id
      group by k.account_id, k.key_id, p.name, p.counted
    ) spent
    -- A request that arrived before the period counts in it if its money was granted in it.
    where counted < arrived or counted > greatest(arrived, settled)
    union all
    select 'usage counters differ from the log', coalesce(l.account_id, c.account_id)
    from (
      select r.account_id, (r.created_at at time zone 'UTC')::date as day, r.api_key_id, coalesce(r.model, '') as model,
        e.place as end_user_place, m.place as metadata_place,
        array[count(*), count(*) filter (where r.status >= 400 and r.status <> 499), sum(r.prompt_tokens),
          sum(r.cached_tokens), sum(r.cache_creation_tokens), sum(r.completion_tokens), sum(r.reasoning_tokens),
          sum(r.cost_nanos)]::numeric[] as figures
      from request_logs r
      left join usage_values u on u.account_id = r.account_id and u.label = '' and u.value = r.end_user
        and u.day = (r.created_at at time zone 'UTC')::date
      cross join lateral unnest(
        case when r.end_user <> '' then array[0, coalesce(u.place, -1)] else array[0] end) e (place)
      cross join lateral (
        select 0 as place
        union
        select coalesce(v.place, -1 - l.number, 0)
        from json_to_recordset(r.metadata::json) p (key text, value text)
        left join usage_labels l on l.account_id = r.account_id and l.label = p.key
          and l.day = (r.created_at at time zone 'UTC')::date
        left join usage_values v on v.account_id = r.account_id and v.label = p.key and v.value = p.value
          and v.day = (r.created_at at time zone 'UTC')::date
      ) m
      group by 1, 2, 3, 4, 5, 6
    ) l
    full join (
      select account_id, day, api_key_id, model, end_user_place, metadata_place, array[requests, failed_requests,
        prompt_tokens, cached_tokens, cache_creation_tokens, completion_tokens, reasoning_tokens,
        cost_nanos]::numeric[] as figures
      from (
        select account_id, day, api_key_id, model, end_user_place, metadata_place, sum(requests) as requests,
          sum(failed_requests) as failed_requests, sum(prompt_tokens) as prompt_tokens,
          sum(cached_tokens) as cached_tokens, sum(cache_creation_tokens) as cache_creation_tokens,
          sum(completion_tokens) as completion_tokens, sum(reasoning_tokens) as reasoning_tokens,
          sum(cost_nanos) as cost_nanos
        from current_usage group by 1, 2, 3, 4, 5, 6
      ) counted
    ) c using (account_id, day, api_key_id, model, end_user_place, metadata_place)
    where counts_usage() and coalesce(l.figures, array_fill(0::numeric, array[8]))
      <> coalesce(c.figures, array_fill(0::numeric, array[8]))`)
}
