-- Does the same as settle_hold for the charges of several holds, with one row of `changes` for each. Raises the
-- same.
--
-- Each statement must find a few rows by their keys. Postgres keeps a plan, and a plan made while a table was small
-- would read the whole table after it has grown. So nothing is hashed or sorted whole. Rows to change are found in a
-- subquery with `offset 0`, which runs once for each change.
create function settle_holds(
  charges charge[], used usage_sum[], changes hold_change[], budgets budget_change[] default '{}'
) returns void language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  at timestamptz;
  today timestamptz;
  counted integer;
  keys hold_change[] := changes;
begin
  perform 1 from balances b where b.account_id = any (array(select c.account_id from unnest(changes) c))
  order by b.account_id for no key update;
  -- Read after the accounts were locked, so that the later of two settlements of an account has the later time.
  at := clock_timestamp();
  today := date_trunc('day', at, 'UTC');

  update balances b set credits_nanos = b.credits_nanos - c.cost, held_nanos = b.held_nanos + c.delta
  from (
    select account_id, sum(cost)::bigint as cost, sum(amount - before)::bigint as delta
    from unnest(changes) group by account_id
  ) c cross join lateral (select f.ctid from balances f where f.account_id = c.account_id offset 0) found
  where b.ctid = found.ctid;
  update holds h set amount_nanos = c.amount, in_use_nanos = c.in_use
  from unnest(changes) c cross join lateral (
    select f.ctid from holds f where f.account_id = c.account_id and f.id = c.hold_id offset 0
  ) found
  where h.ctid = found.ctid and h.amount_nanos = c.before
    and c.in_use between 0 and c.amount and c.cost >= 0 and c.amount <= c.before - c.cost;
  get diagnostics counted = row_count;
  if counted < cardinality(changes) then
    raise check_violation using message = 'a hold does not cover its charges, or was changed meanwhile';
  end if;
  -- Rows of keys also change without their account's lock (fire_cap_alert). A row that was moved while this statement
  -- waited for it would be skipped.
  perform 1 from unnest(changes) c cross join lateral (
    select from key_budgets f where f.account_id = c.account_id and f.key_id = c.key_id for no key update
  ) locked;
  if cardinality(budgets) > 0 then -- a key can have several holds
    keys := array(
      select (c.account_id, null, c.key_id, sum(c.before), sum(c.amount), 0, sum(c.cost))::hold_change
      from unnest(changes) c group by c.account_id, c.key_id);
  end if;
  update key_budgets k set
    day_spent_nanos = c.cost + counted_since(today, k.day_spent_nanos, k.counted_at, at),
    week_spent_nanos = c.cost
      + counted_since(date_trunc('week', at, 'UTC'), k.week_spent_nanos, k.counted_at, at),
    month_spent_nanos = c.cost
      + counted_since(date_trunc('month', at, 'UTC'), k.month_spent_nanos, k.counted_at, at),
    counted_at = later_count(k.counted_at, at),
    total_spent_nanos = k.total_spent_nanos + c.cost,
    held_nanos = k.held_nanos + c.amount - c.before
  from unnest(keys) c cross join lateral (
    select f.ctid from key_budgets f where f.account_id = c.account_id and f.key_id = c.key_id offset 0
  ) found
  where k.ctid = found.ctid;
  if cardinality(budgets) > 0 then perform count_budgets(budgets, at); end if;
  perform log_charges(charges, at);

  if exists (select from unnest(used) u where u.day < (today at time zone 'UTC')::date) then
    raise check_violation using message = 'a request arrived before today';
  end if;
  insert into usage_totals as k (
    account_id, day, api_key_id, model, end_user_place, metadata_place, requests, failed_requests, prompt_tokens,
    cached_tokens, cache_creation_tokens, completion_tokens, reasoning_tokens, cost_nanos
  )
  select u.account_id, u.day, u.api_key_id, u.model, 0, 0, u.requests, u.failed_requests, u.prompt_tokens,
    u.cached_tokens, u.cache_creation_tokens, u.completion_tokens, u.reasoning_tokens, u.cost_nanos
  from unnest(used) u where u.end_user is null and u.metadata is null
  on conflict (account_id, day, api_key_id, model, end_user_place, metadata_place) do update set
    requests = k.requests + excluded.requests, failed_requests = k.failed_requests + excluded.failed_requests,
    prompt_tokens = k.prompt_tokens + excluded.prompt_tokens, cached_tokens = k.cached_tokens + excluded.cached_tokens,
    cache_creation_tokens = k.cache_creation_tokens + excluded.cache_creation_tokens,
    completion_tokens = k.completion_tokens + excluded.completion_tokens,
    reasoning_tokens = k.reasoning_tokens + excluded.reasoning_tokens, cost_nanos = k.cost_nanos + excluded.cost_nanos;
  get diagnostics counted = row_count;
  if counted < cardinality(used) then
    perform count_usage(
      u.account_id, u.day::timestamp at time zone 'UTC', u.api_key_id, u.model, u.end_user, u.metadata, u.requests,
      u.failed_requests, u.prompt_tokens, u.cached_tokens, u.cache_creation_tokens, u.completion_tokens,
      u.reasoning_tokens, u.cost_nanos)
    from unnest(used) u where u.end_user is not null or u.metadata is not null;
  end if;
end $$;
