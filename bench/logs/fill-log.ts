import { keepTerms } from '../../domain/pricing/kept-terms.ts'
import { systemIds } from '../../platform/ids.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'

const days = 60

const terms = keepTerms([
  {
    label: 'input',
    quantity: 200,
    unit: 'token',
    attosPerUnit: 2_500_000_000_000n,
    amountAttos: 500_000_000_000_000n,
  },
])

/**
 * Fills the request log of an account over the last 60 days: 20 keys, 40 models of which one is rare, 500 end users, 7
 * teams in the metadata, one failure in a hundred. A tenth as many rows of other accounts lie between. Then counts them
 * as settling would have.
 */
export async function fillLog(
  sql: Sql,
  { accountId, rows }: { accountId: string; rows: number },
): Promise<{ keyIds: string[] }> {
  const keyIds = Array.from({ length: 20 }, () => systemIds.uuid())
  for (let daysAgo = days; daysAgo >= 2; daysAgo--) await addPartition(sql, daysAgo)
  const perDay = Math.ceil(rows / days)
  for (let daysAgo = days - 1; daysAgo >= 0; daysAgo--) {
    await fillDay(sql, { accountId, keyIds, daysAgo, rows: perDay })
    await fillDay(sql, { accountId: systemIds.uuid(), keyIds, daysAgo, rows: Math.ceil(perDay / 10) })
  }
  await count(sql)
  await sql`vacuum analyze request_logs`
  await sql`vacuum analyze usage_counters`
  return { keyIds }
}

/** The partition of a day that nothing was logged on when the database was made. */
async function addPartition(sql: Sql, daysAgo: number): Promise<void> {
  await sql.unsafe(`
    do $$ declare day date := (now() at time zone 'UTC')::date - ${daysAgo};
    begin
      execute format('create table if not exists %I partition of request_logs for values from (%L) to (%L)',
        'request_logs_' || to_char(day, 'YYYYMMDD'), day || ' 00:00:00+00', (day + 1) || ' 00:00:00+00');
    end $$`)
}

async function fillDay(
  sql: Sql,
  args: { accountId: string; keyIds: string[]; daysAgo: number; rows: number },
): Promise<void> {
  const { accountId, keyIds, daysAgo, rows } = args
  await sql`
    insert into request_logs (account_id, created_at, id, api_key_id, route, model, vendor, status, prompt_tokens,
      completion_tokens, cost_nanos, cost_terms, end_user, metadata, client_address, first_byte_ms, duration_ms)
    select ${accountId}, at, 'req_' || lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
        || left(md5(n::text || ${daysAgo}::text), 19),
      (${keyIds}::uuid[])[1 + n % 20], 'chat.completions',
      case when n % 40 = 39 and (${daysAgo}::int <> 30 or n > 100) then 'vendor_a/model-0'
        when n % 40 = 39 then 'vendor_a/rare' else 'vendor_' || chr(97 + n % 3) || '/model-' || n % 39 end,
      'vendor_' || chr(97 + n % 3), case when n % 100 = 7 then 429 else 200 end, 200 + n % 1000, n % 700, 1000 + n % 5000,
      ${terms},
      'user ' || n % 500, '[{"key":"team","value":"team ' || n % 7 || '"}]', '192.0.2.1', 300, 900 + n % 2000
    from generate_series(1, ${rows}::int) n,
      lateral (select least(now(), date_trunc('day', now(), 'UTC') - ${daysAgo}::int * interval '1 day'
        + n * (interval '1 day' / ${rows}::int)) as at) t
    on conflict do nothing`
}

async function count(sql: Sql): Promise<void> {
  const logged = sql`(
    select *, (created_at at time zone 'UTC')::date as day, metadata::json -> 0 ->> 'value' as team from request_logs)`
  await sql`
    insert into usage_labels
    select account_id, day, l.label, l.number, case l.number when 0 then count(distinct end_user) else 7 end
    from ${logged} r cross join (values ('', 0), ('team', 1)) l (label, number) group by 1, 2, 3, 4`
  await sql`
    insert into usage_values
    select account_id, day, label, value, 1000 * number + row_number() over (partition by account_id, day, label order by value)
    from (
      select distinct r.account_id, r.day, l.label, l.number, l.value
      from ${logged} r cross join lateral (values ('', 0, r.end_user), ('team', 1, r.team)) l (label, number, value)
    ) named`
  await sql`
    insert into usage_counters
    select r.account_id, r.day, r.api_key_id, r.model, e.place, m.place, count(*), count(*) filter (where r.status >= 400),
      sum(r.prompt_tokens), 0, 0, sum(r.completion_tokens), 0, sum(r.cost_nanos)
    from ${logged} r
    join usage_values u on u.account_id = r.account_id and u.day = r.day and u.label = '' and u.value = r.end_user
    join usage_values t on t.account_id = r.account_id and t.day = r.day and t.label = 'team' and t.value = r.team
    cross join unnest(array[0, u.place]) e (place) cross join unnest(array[0, t.place]) m (place)
    group by 1, 2, 3, 4, 5, 6`
}
