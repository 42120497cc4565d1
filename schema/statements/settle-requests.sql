-- Settles requests: writes the request log, usage counters, transaction, balance, key spend and hold together, once per
-- request. Returns `settled` or `lapsed` for each request.
--
-- `targets` are the amounts of the holds afterwards, not differences. A hold pays for its charges and never more than
-- it has. If the hold's row minus its charges does not cover the target, the process has missed that its hold lapsed.
-- The target is then skipped, and none of its charges are made: `lapsed`.
--
-- If a process that was declared dead has logged a request without cost, the process that took the request over charges
-- it and replaces the row. A request that was charged is not changed. A batch contains a request once.
--
-- The cost counts in the periods of the key's cap in which the request arrived, or in which its hold last grew if that
-- is later, so that an amount counts in the period that granted it.
--
-- `was_sent`: this batch may have been committed before, and its response was lost. Requests that it has charged are
-- settled.
create function settle_requests(charges charge[], targets hold_target[], was_sent boolean default false)
returns table (request_id text, outcome text)
language plpgsql as $$
declare
  -- Read after the accounts were locked, so that the later of two settlements of an account has the later time.
  at timestamptz := clock_timestamp();
  today timestamptz := date_trunc('day', at, 'UTC');
  this_week timestamptz := date_trunc('week', at, 'UTC');
  this_month timestamptz := date_trunc('month', at, 'UTC');
begin
  return query
  with target as materialized (
    select t.account_id, t.hold_id, t.amount, t.in_use, h.key_id, h.budget_ids, h.amount_nanos as before,
      h.granted_at
    from unnest(targets) t
    join holds h on h.account_id = t.account_id and h.id = t.hold_id
    left join (
      select c.hold_id, sum(c.cost_nanos) as cost from unnest(charges) c where c.hold_id is not null group by c.hold_id
    ) paid on paid.hold_id = t.hold_id
    where t.in_use between 0 and t.amount
      and t.amount <= h.amount_nanos - case when was_sent then 0 else coalesce(paid.cost, 0) end
  ), charge as materialized (
    select c.*, not was_sent
      and (c.hold_id is null or exists (select 1 from target where target.hold_id = c.hold_id)) as live
    from unnest(charges) c
  ), logged as (
    insert into request_logs as l (
      account_id, created_at, id, api_key_id, route, model, answered_by, vendor, byok_id, streamed, status,
      error_code, prompt_tokens, cached_tokens, cache_creation_tokens, completion_tokens, reasoning_tokens,
      usage_estimated, cost_nanos, cost_terms, end_user, client_address, upstream_request_id, first_byte_ms,
      duration_ms, attempts, metadata
    )
    select c.account_id, c.created_at, c.id, c.api_key_id, c.route, c.model, c.answered_by, c.vendor, c.byok_id,
      c.streamed, c.status, c.error_code, c.prompt_tokens, c.cached_tokens, c.cache_creation_tokens,
      c.completion_tokens, c.reasoning_tokens, c.usage_estimated, c.cost_nanos, c.cost_terms, c.end_user,
      c.client_address, c.upstream_request_id, c.first_byte_ms, c.duration_ms, c.attempts, c.metadata
    from charge c where c.live
    on conflict (account_id, created_at, id) do update set
      api_key_id = excluded.api_key_id, route = excluded.route, model = excluded.model,
      answered_by = excluded.answered_by, vendor = excluded.vendor, byok_id = excluded.byok_id,
      streamed = excluded.streamed, status = excluded.status, error_code = excluded.error_code,
      prompt_tokens = excluded.prompt_tokens, cached_tokens = excluded.cached_tokens,
      cache_creation_tokens = excluded.cache_creation_tokens, completion_tokens = excluded.completion_tokens,
      reasoning_tokens = excluded.reasoning_tokens, usage_estimated = excluded.usage_estimated,
      cost_nanos = excluded.cost_nanos, cost_terms = excluded.cost_terms, end_user = excluded.end_user,
      client_address = excluded.client_address, upstream_request_id = excluded.upstream_request_id,
      first_byte_ms = excluded.first_byte_ms, duration_ms = excluded.duration_ms, attempts = excluded.attempts,
      metadata = excluded.metadata,
      replaced = true
      where l.cost_nanos = 0 and excluded.cost_nanos > 0
    returning l.account_id, l.id, l.api_key_id, l.cost_nanos, l.created_at, l.model, l.end_user, l.metadata, l.status,
      l.prompt_tokens, l.cached_tokens, l.cache_creation_tokens, l.completion_tokens, l.reasoning_tokens, l.replaced
  ), used as (
    select l.account_id, l.created_at, l.api_key_id, l.model, l.end_user, l.metadata, l.status, 1 as sign,
      l.prompt_tokens, l.cached_tokens, l.cache_creation_tokens, l.completion_tokens, l.reasoning_tokens, l.cost_nanos
    from logged l
    union all
    -- The usage of a replaced row.
    select b.account_id, b.created_at, b.api_key_id, b.model, b.end_user, b.metadata, b.status, -1,
      b.prompt_tokens, b.cached_tokens, b.cache_creation_tokens, b.completion_tokens, b.reasoning_tokens, b.cost_nanos
    from logged l cross join logged_before(l.account_id, l.created_at, l.id) b where l.replaced
  ), used_by_labels as (
    select u.account_id, (u.created_at at time zone 'UTC')::date as day, u.api_key_id, coalesce(u.model, '') as model,
      u.end_user, u.metadata, sum(sign) as requests,
      coalesce(sum(sign) filter (where u.status >= 400 and u.status <> 499), 0) as failed,
      sum(sign * u.prompt_tokens) as prompt, sum(sign * u.cached_tokens) as cached,
      sum(sign * u.cache_creation_tokens) as cache_creation, sum(sign * u.completion_tokens) as completion,
      sum(sign * u.reasoning_tokens) as reasoning, sum(sign * u.cost_nanos) as cost
    from used u group by 1, 2, 3, 4, 5, 6
  ), used_by_place as materialized (
    select u.*, end_user_places(u.account_id, u.day, u.end_user) as end_user_places,
      metadata_places(u.account_id, u.day, u.metadata) as metadata_places
    from used_by_labels u
  ), counted as (
    insert into usage_counters as k (
      account_id, day, api_key_id, model, end_user_place, metadata_place, requests, failed_requests, prompt_tokens,
      cached_tokens, cache_creation_tokens, completion_tokens, reasoning_tokens, cost_nanos
    )
    select u.account_id, u.day, u.api_key_id, u.model, e.place, m.place, sum(u.requests), sum(u.failed), sum(u.prompt),
      sum(u.cached), sum(u.cache_creation), sum(u.completion), sum(u.reasoning), sum(u.cost)
    from used_by_place u, unnest(u.end_user_places) e (place), unnest(u.metadata_places) m (place)
    group by 1, 2, 3, 4, 5, 6
    on conflict on constraint usage_counters_pkey do update set
      requests = k.requests + excluded.requests, failed_requests = k.failed_requests + excluded.failed_requests,
      prompt_tokens = k.prompt_tokens + excluded.prompt_tokens,
      cached_tokens = k.cached_tokens + excluded.cached_tokens,
      cache_creation_tokens = k.cache_creation_tokens + excluded.cache_creation_tokens,
      completion_tokens = k.completion_tokens + excluded.completion_tokens,
      reasoning_tokens = k.reasoning_tokens + excluded.reasoning_tokens,
      cost_nanos = k.cost_nanos + excluded.cost_nanos
  ), paid as materialized (
    select l.account_id, l.id, l.api_key_id, l.cost_nanos, greatest(l.created_at, t.granted_at) as granted_at,
      c.transaction_id, c.budget_ids
    from logged l join charge c on c.id = l.id left join target t on t.hold_id = c.hold_id where l.cost_nanos > 0
  ), entered as (
    insert into transactions (
      account_id, id, source, credits_nanos, payment_method, status, api_key_id, request_id, budget_ids, created_at
    )
    select account_id, transaction_id, id, -cost_nanos, 'usage', 'completed', api_key_id, id, budget_ids, at from paid
  ), change as (
    select account_id, key_id, sum(cost)::bigint as cost, sum(delta)::bigint as delta,
      coalesce(sum(cost) filter (where granted_at >= today), 0)::bigint as cost_today,
      coalesce(sum(cost) filter (where granted_at >= this_week), 0)::bigint as cost_this_week,
      coalesce(sum(cost) filter (where granted_at >= this_month), 0)::bigint as cost_this_month
    from (
      select account_id, api_key_id as key_id, cost_nanos as cost, 0::bigint as delta, granted_at from paid
      union all
      select account_id, key_id, 0::bigint, amount - before, null from target
    ) changes group by account_id, key_id
  ), on_key as (
    update key_budgets k set
      day_spent_nanos = c.cost_today + counted_since(today, k.day_spent_nanos, k.counted_at, at),
      week_spent_nanos = c.cost_this_week + counted_since(this_week, k.week_spent_nanos, k.counted_at, at),
      month_spent_nanos = c.cost_this_month + counted_since(this_month, k.month_spent_nanos, k.counted_at, at),
      counted_at = later_count(k.counted_at, at),
      total_spent_nanos = k.total_spent_nanos + c.cost,
      held_nanos = k.held_nanos + c.delta
    from change c where k.account_id = c.account_id and k.key_id = c.key_id
  ), on_budget as (
    update budgets g set
      day_spent_nanos = c.cost_today + counted_since(today, g.day_spent_nanos, g.counted_at, at),
      week_spent_nanos = c.cost_this_week + counted_since(this_week, g.week_spent_nanos, g.counted_at, at),
      month_spent_nanos = c.cost_this_month + counted_since(this_month, g.month_spent_nanos, g.counted_at, at),
      counted_at = later_count(g.counted_at, at),
      total_spent_nanos = g.total_spent_nanos + c.cost,
      held_nanos = g.held_nanos + c.delta
    from (
      select account_id, unnest(budget_ids) as budget_id, sum(cost)::bigint as cost, sum(delta)::bigint as delta,
        coalesce(sum(cost) filter (where granted_at >= today), 0)::bigint as cost_today,
        coalesce(sum(cost) filter (where granted_at >= this_week), 0)::bigint as cost_this_week,
        coalesce(sum(cost) filter (where granted_at >= this_month), 0)::bigint as cost_this_month
      from (
        select account_id, budget_ids, cost_nanos as cost, 0::bigint as delta, granted_at from paid
        union all
        select account_id, budget_ids, 0::bigint, amount - before, null from target
      ) changes where budget_ids is not null group by account_id, budget_id
    ) c
    where g.account_id = c.account_id and g.id = c.budget_id
  ), on_account as (
    update balances b set credits_nanos = b.credits_nanos - c.cost, held_nanos = b.held_nanos + c.delta
    from (select account_id, sum(cost)::bigint as cost, sum(delta)::bigint as delta from change group by account_id) c
    where b.account_id = c.account_id
  ), on_hold as (
    update holds h set amount_nanos = t.amount, in_use_nanos = t.in_use
    from target t where h.account_id = t.account_id and h.id = t.hold_id
  )
  select c.id, case
    when c.live then 'settled'
    when (logged_before(c.account_id, c.created_at, c.id)).id is not null then 'settled'
    else 'lapsed'
  end
  from charge c;
end $$;
