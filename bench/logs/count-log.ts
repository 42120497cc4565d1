import { bucketCount, limitOf } from '../../domain/usage/latency-buckets.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'

/** A day of an account, as a number of days before today. */
interface LoggedDay {
  accountId: string
  daysAgo: number
}

/**
 * Counts the requests of an account on a day as settling would have: in total, by end user, by team, and by both, and how
 * long they took.
 */
export async function countDay(sql: Sql, { accountId, daysAgo }: LoggedDay): Promise<void> {
  await sql.begin(async transaction => {
    await transaction`
      create temporary table counted on commit drop as
      select day, api_key_id, model, end_user, metadata::json -> 0 ->> 'value' as team, requests, failed_requests,
        prompt_tokens, completion_tokens, cost_nanos
      from (
        select d.day, api_key_id, model, end_user, metadata, count(*) as requests,
          count(*) filter (where status >= 400) as failed_requests, sum(prompt_tokens) as prompt_tokens,
          sum(completion_tokens) as completion_tokens, sum(cost_nanos) as cost_nanos
        from (select (now() at time zone 'UTC')::date - ${daysAgo}::int as day) d
        join request_logs r on account_id = ${accountId} and created_at >= d.day::timestamp at time zone 'UTC'
          and created_at < (d.day + 1)::timestamp at time zone 'UTC'
        group by 1, 2, 3, 4, 5
      ) logged`
    await transaction`
      insert into usage_labels
      select ${accountId}::uuid, day, l.label, l.number, case l.number when 0 then count(distinct end_user) else 7 end
      from counted cross join (values ('', 0), ('team', 1)) l (label, number) group by 2, 3, 4`
    await transaction`
      insert into usage_values
      select ${accountId}::uuid, day, label, value, 1000 * number + row_number() over (partition by label order by value)
      from (
        select distinct c.day, l.label, l.number, l.value
        from counted c cross join lateral (values ('', 0, c.end_user), ('team', 1, c.team)) l (label, number, value)
      ) named`
    await transaction`
      insert into usage_counters
      select ${accountId}::uuid, c.day, c.api_key_id, c.model, e.place, m.place, sum(requests), sum(failed_requests),
        sum(prompt_tokens), 0, 0, sum(completion_tokens), 0, sum(cost_nanos)
      from counted c
      join usage_values u on u.account_id = ${accountId} and u.day = c.day and u.label = '' and u.value = c.end_user
      join usage_values t on t.account_id = ${accountId} and t.day = c.day and t.label = 'team' and t.value = c.team
      cross join unnest(array[0, u.place]) e (place) cross join unnest(array[0, t.place]) m (place)
      group by 2, 3, 4, 5, 6`
  })
  await countDurations(sql, { accountId, daysAgo })
}

/** Counts how long the requests of a day took, in the buckets of domain/usage/latency-buckets.ts. */
async function countDurations(sql: Sql, { accountId, daysAgo }: LoggedDay): Promise<void> {
  await sql`
    with timed as (
      select d.day, api_key_id, model, count(*)::int as requests,
        greatest(0, least(${bucketCount - 1}, ceil(ln(duration_ms / ${limitOf(0)}) / ln(${limitOf(1) / limitOf(0)}))))::int as bucket
      from (select (now() at time zone 'UTC')::date - ${daysAgo}::int as day) d
      join request_logs r on account_id = ${accountId} and created_at >= d.day::timestamp at time zone 'UTC'
        and created_at < (d.day + 1)::timestamp at time zone 'UTC'
      group by 1, 2, 3, 5
    )
    insert into usage_latencies (account_id, day, api_key_id, model, durations, first_bytes)
    select ${accountId}::uuid, day, api_key_id, model, array_agg(coalesce(requests, 0) order by bucket), '{}'
    from (select distinct day, api_key_id, model from timed) g
    cross join generate_series(0, ${bucketCount - 1}) bucket left join timed using (day, api_key_id, model, bucket)
    group by 2, 3, 4`
}

/** Counts days whose requests are like the requests of the day `from`, by repeating its counters. */
export async function countAlike(
  sql: Sql,
  { accountId, from, to }: { accountId: string; from: number; to: readonly number[] },
): Promise<void> {
  const tables = [
    ['usage_labels', 'label, number, value_count'],
    ['usage_values', 'label, value, place'],
    [
      'usage_counters',
      `api_key_id, model, end_user_place, metadata_place, requests, failed_requests, prompt_tokens, cached_tokens,
        cache_creation_tokens, completion_tokens, reasoning_tokens, cost_nanos`,
    ],
  ]
  for (const [table, columns] of tables)
    for (const daysAgo of to)
      await sql.unsafe(
        `insert into ${table} (account_id, day, ${columns})
        select account_id, (now() at time zone 'UTC')::date - $1::int, ${columns} from ${table}
        where account_id = $2 and day = (now() at time zone 'UTC')::date - $3::int`,
        [daysAgo, accountId, from],
      )
}
