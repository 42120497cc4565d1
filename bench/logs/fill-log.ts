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
 * Fills the request log of an account over the last 60 days: 20 keys, 40 models of which one is rare, 500 end users, one
 * failure in a hundred. A tenth as many rows of other accounts lie between. Then counts them as settling would have.
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
      completion_tokens, cost_nanos, cost_terms, end_user, client_address, first_byte_ms, duration_ms)
    select ${accountId}, at, 'req_' || lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
        || left(md5(n::text || ${daysAgo}::text), 19),
      (${keyIds}::uuid[])[1 + n % 20], 'chat.completions',
      case when n % 40 = 39 and (${daysAgo}::int <> 30 or n > 100) then 'vendor_a/model-0'
        when n % 40 = 39 then 'vendor_a/rare' else 'vendor_' || chr(97 + n % 3) || '/model-' || n % 39 end,
      'vendor_' || chr(97 + n % 3), case when n % 100 = 7 then 429 else 200 end, 200 + n % 1000, n % 700, 1000 + n % 5000,
      ${terms},
      'user ' || n % 500, '192.0.2.1', 300, 900 + n % 2000
    from generate_series(1, ${rows}::int) n,
      lateral (select least(now(), date_trunc('day', now(), 'UTC') - ${daysAgo}::int * interval '1 day'
        + n * (interval '1 day' / ${rows}::int)) as at) t
    on conflict do nothing`
}

async function count(sql: Sql): Promise<void> {
  await sql`
    insert into usage_end_users (account_id, day, end_user, place)
    select account_id, day, end_user, row_number() over (partition by account_id, day order by end_user)
    from (
      select distinct account_id, (created_at at time zone 'UTC')::date as day, end_user from request_logs
    ) named`
  await sql`
    insert into usage_counters
    select l.account_id, l.day, l.api_key_id, l.model, p.place, count(*), count(*) filter (where l.status >= 400),
      sum(l.prompt_tokens), 0, 0, sum(l.completion_tokens), 0, sum(l.cost_nanos)
    from (select *, (created_at at time zone 'UTC')::date as day from request_logs) l
    join usage_end_users u on u.account_id = l.account_id and u.day = l.day and u.end_user = l.end_user
    cross join unnest(array[0, u.place]) p (place)
    group by 1, 2, 3, 4, 5`
}
