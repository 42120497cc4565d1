-- Adds the unposted amounts of these holds to balances, keys, budgets and usage counters. Charges count in the periods that
-- contain their day. The caller has locked the accounts, and sets the holds to zero or deletes them in the same transaction.
--
-- Each statement must find a few rows by their keys. Postgres keeps a plan, and a plan made while a table was small
-- would read the whole table after it has grown. So nothing is hashed or sorted whole. Rows to change are found in a
-- subquery with `offset 0`, which runs once for each change.
create function post_sums(posted holds[]) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  at timestamptz := clock_timestamp();
  today timestamptz := date_trunc('day', at, 'UTC');
  this_week timestamptz := date_trunc('week', at, 'UTC');
  this_month timestamptz := date_trunc('month', at, 'UTC');
begin
  update balances b set credits_nanos = b.credits_nanos - c.spent, held_nanos = b.held_nanos - c.held
  from (
    select p.account_id, sum(p.unposted_spent_nanos)::bigint as spent, sum(p.unposted_held_nanos)::bigint as held
    from unnest(posted) p group by p.account_id
  ) c cross join lateral (select f.ctid from balances f where f.account_id = c.account_id offset 0) found
  where b.ctid = found.ctid;
  -- Rows of keys also change without their account's lock (fire_cap_alert). A row that was moved while the update below
  -- waited for it would be skipped.
  perform 1 from unnest(posted) p cross join lateral (
    select from key_budgets f where f.account_id = p.account_id and f.key_id = p.key_id for no key update
  ) locked;
  update key_budgets k set
    day_spent_nanos = c.spent_today + counted_since(today, k.day_spent_nanos, k.counted_at, at),
    week_spent_nanos = c.spent_this_week + counted_since(this_week, k.week_spent_nanos, k.counted_at, at),
    month_spent_nanos = c.spent_this_month + counted_since(this_month, k.month_spent_nanos, k.counted_at, at),
    counted_at = later_count(k.counted_at, at),
    total_spent_nanos = k.total_spent_nanos + c.spent,
    held_nanos = k.held_nanos - c.held
  from (
    select p.account_id, p.key_id, sum(p.unposted_spent_nanos)::bigint as spent,
      sum(p.unposted_held_nanos)::bigint as held,
      coalesce(sum(p.unposted_spent_nanos) filter (where p.since >= today), 0)::bigint as spent_today,
      coalesce(sum(p.unposted_spent_nanos) filter (where p.since >= this_week), 0)::bigint as spent_this_week,
      coalesce(sum(p.unposted_spent_nanos) filter (where p.since >= this_month), 0)::bigint as spent_this_month
    from (select x.*, x.unposted_day::timestamp at time zone 'UTC' as since from unnest(posted) x) p
    group by p.account_id, p.key_id
  ) c cross join lateral (
    select f.ctid from key_budgets f where f.account_id = c.account_id and f.key_id = c.key_id offset 0
  ) found
  where k.ctid = found.ctid;
  perform count_budgets(changes.all_of_them, at) from (
    select array_agg((p.account_id, p.budget_ids, -p.unposted_held_nanos, p.unposted_spent_nanos,
      p.unposted_day::timestamp at time zone 'UTC')::budget_change) as all_of_them
    from unnest(posted) p where p.budget_ids is not null
  ) changes where changes.all_of_them is not null;
  insert into usage_totals as k (
    account_id, day, api_key_id, model, end_user_place, metadata_place, requests, failed_requests, prompt_tokens,
    cached_tokens, cache_creation_tokens, completion_tokens, reasoning_tokens, cost_nanos
  )
  select p.account_id, p.unposted_day, p.key_id, p.unposted_model, 0, 0, sum(p.unposted_requests),
    sum(p.unposted_failed_requests), sum(p.unposted_prompt_tokens), sum(p.unposted_cached_tokens),
    sum(p.unposted_cache_creation_tokens), sum(p.unposted_completion_tokens), sum(p.unposted_reasoning_tokens),
    sum(p.unposted_cost_nanos)
  from unnest(posted) p where p.unposted_requests > 0 and counts_usage() group by 1, 2, 3, 4
  on conflict (account_id, day, api_key_id, model, end_user_place, metadata_place) do update set
    requests = k.requests + excluded.requests, failed_requests = k.failed_requests + excluded.failed_requests,
    prompt_tokens = k.prompt_tokens + excluded.prompt_tokens, cached_tokens = k.cached_tokens + excluded.cached_tokens,
    cache_creation_tokens = k.cache_creation_tokens + excluded.cache_creation_tokens,
    completion_tokens = k.completion_tokens + excluded.completion_tokens,
    reasoning_tokens = k.reasoning_tokens + excluded.reasoning_tokens, cost_nanos = k.cost_nanos + excluded.cost_nanos;
end $$;
