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
--
-- Its statement is planned once: planning it took most of the time of a small batch. The functions that it calls on
-- distributed tables are planned as usual, because Citus has no generic plan of their statements.
create function settle_requests(charges charge[], targets hold_target[], was_sent boolean default false)
returns table (request_id text, outcome text)
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  -- Read after the accounts were locked, so that the later of two settlements of an account has the later time.
  at timestamptz := clock_timestamp();
  today timestamptz := date_trunc('day', at, 'UTC');
  this_week timestamptz := date_trunc('week', at, 'UTC');
  this_month timestamptz := date_trunc('month', at, 'UTC');
  covered hold_target[];
  live charge[];
  entered charge[];
begin
  -- Alerts change keys and budgets without the account's lock. A row that was moved while an update below waited for it
  -- would be skipped.
  perform 1 from (
    select distinct c.account_id, c.api_key_id from unnest(charges) c
    union select t.account_id, h.key_id from unnest(targets) t cross join lateral (
      select f.key_id from holds f where f.account_id = t.account_id and f.id = t.hold_id offset 0) h
    order by 1, 2
  ) k cross join lateral (
    select from key_budgets f where f.account_id = k.account_id and f.key_id = k.api_key_id for no key update
  ) locked;
  perform 1 from (
    select c.account_id, unnest(c.budget_ids) as id from unnest(charges) c
    union select t.account_id, unnest(h.budget_ids) from unnest(targets) t cross join lateral (
      select f.budget_ids from holds f where f.account_id = t.account_id and f.id = t.hold_id offset 0) h
    order by 1, 2
  ) g cross join lateral (
    select from budgets f where f.account_id = g.account_id and f.id = g.id for no key update
  ) locked;

  covered := array(
    select t from unnest(targets) t
    cross join lateral (select * from holds f where f.account_id = t.account_id and f.id = t.hold_id offset 0) h
    left join (
      select c.hold_id, sum(c.cost_nanos) as cost from unnest(charges) c where c.hold_id is not null group by c.hold_id
    ) paid on paid.hold_id = t.hold_id
    where t.in_use between 0 and t.amount
      and t.amount <= h.amount_nanos - case when was_sent then 0 else coalesce(paid.cost, 0) end);
  if not was_sent then
    live := array(
      select c from unnest(charges) c
      where c.hold_id is null or exists (select from unnest(covered) t where t.hold_id = c.hold_id));
    entered := enter_charges(live, at);
  end if;
  with target as materialized (
    select t.account_id, t.hold_id, t.amount, t.in_use, h.key_id, h.budget_ids, h.amount_nanos as before, h.granted_at
    from unnest(covered) t
    cross join lateral (select * from holds f where f.account_id = t.account_id and f.id = t.hold_id offset 0) h
  ), used_by_labels as (
    select u.account_id, (u.created_at at time zone 'UTC')::date as day, u.api_key_id, coalesce(u.model, '') as model,
      u.end_user, u.metadata, count(*) as requests,
      count(*) filter (where u.status >= 400 and u.status <> 499) as failed,
      sum(u.prompt_tokens) as prompt, sum(u.cached_tokens) as cached, sum(u.cache_creation_tokens) as cache_creation,
      sum(u.completion_tokens) as completion, sum(u.reasoning_tokens) as reasoning, sum(u.cost_nanos) as cost
    from unnest(entered) u where counts_usage() group by 1, 2, 3, 4, 5, 6
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
    select c.account_id, c.api_key_id, c.cost_nanos, greatest(c.created_at, t.granted_at) as granted_at, c.budget_ids
    from unnest(entered) c left join target t on t.hold_id = c.hold_id where c.cost_nanos > 0
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
    from change c cross join lateral (
      select f.ctid from key_budgets f where f.account_id = c.account_id and f.key_id = c.key_id offset 0
    ) found
    where k.ctid = found.ctid
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
    ) c cross join lateral (
      select f.ctid from budgets f where f.account_id = c.account_id and f.id = c.budget_id offset 0
    ) found
    where g.ctid = found.ctid
  ), on_account as (
    update balances b set credits_nanos = b.credits_nanos - c.cost, held_nanos = b.held_nanos + c.delta
    from (select account_id, sum(cost)::bigint as cost, sum(delta)::bigint as delta from change group by account_id) c
    cross join lateral (select f.ctid from balances f where f.account_id = c.account_id offset 0) found
    where b.ctid = found.ctid
  )
  update holds h set amount_nanos = t.amount, in_use_nanos = t.in_use
  from target t cross join lateral (
    select f.ctid from holds f where f.account_id = t.account_id and f.id = t.hold_id offset 0
  ) found
  where h.ctid = found.ctid;
  return query
  select c.id, case
    when l.id is not null or (logged_before(c.account_id, c.created_at, c.id)).id is not null then 'settled'
    else 'lapsed'
  end
  from unnest(charges) c left join unnest(live) l on l.id = c.id;
end $$;
