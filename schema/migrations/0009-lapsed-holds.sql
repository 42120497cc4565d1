-- What becomes of requests whose hold lapsed while they ran, and came back with less.

-- Settles requests, as before; but a target never raises a hold, nor states less than nothing. A process that wants
-- either has missed that its hold lapsed: to it the hold is gone, and a charge on it is not made, `lapsed`. So a
-- charge never takes more than its hold has.
create or replace function settle_requests(charges charge[], hold_targets hold_target[])
returns table (request_id text, outcome text)
language plpgsql as $$
begin
  perform 1 from balances b
  where b.account_id in (select t.account_id from unnest(hold_targets) t)
  order by b.account_id for no key update;

  return query
  with target as materialized (
    select t.account_id, t.hold_id, t.amount, t.in_use, h.key_id, h.amount_nanos as before
    from unnest(hold_targets) t
    join holds h on h.account_id = t.account_id and h.id = t.hold_id and t.amount between 0 and h.amount_nanos
  ), charge as materialized (
    select c.*, c.hold_id is null or exists (select 1 from target where target.hold_id = c.hold_id) as live
    from unnest(charges) c
  ), logged as (
    insert into request_logs (
      account_id, created_at, id, api_key_id, route, model, answered_by, vendor, byok_id, streamed, status,
      error_code, prompt_tokens, cached_tokens, cache_creation_tokens, completion_tokens, reasoning_tokens,
      usage_estimated, cost_nanos, cost_terms, end_user, client_address, upstream_request_id, first_byte_ms,
      duration_ms
    )
    select c.account_id, c.created_at, c.id, c.api_key_id, c.route, c.model, c.answered_by, c.vendor, c.byok_id,
      c.streamed, c.status, c.error_code, c.prompt_tokens, c.cached_tokens, c.cache_creation_tokens,
      c.completion_tokens, c.reasoning_tokens, c.usage_estimated, c.cost_nanos, c.cost_terms, c.end_user,
      c.client_address, c.upstream_request_id, c.first_byte_ms, c.duration_ms
    from charge c where c.live
    on conflict do nothing
    returning request_logs.account_id, request_logs.id, request_logs.api_key_id, request_logs.cost_nanos
  ), paid as materialized (
    select l.account_id, l.id, l.api_key_id, l.cost_nanos, c.transaction_id
    from logged l join charge c on c.id = l.id where l.cost_nanos > 0
  ), entered as (
    insert into transactions (
      account_id, id, source, credits_nanos, payment_method, status, api_key_id, request_id, created_at
    )
    select account_id, transaction_id, id, -cost_nanos, 'usage', 'completed', api_key_id, id, now() from paid
  ), change as (
    select account_id, key_id, sum(cost) as cost, sum(delta) as delta from (
      select account_id, api_key_id as key_id, cost_nanos as cost, 0::bigint as delta from paid
      union all
      select account_id, key_id, 0::bigint, amount - before from target
    ) changes group by account_id, key_id
  ), on_key as (
    update key_budgets k set
      spent_nanos = c.cost + case
        when window_start(k.reset_interval, k.period_start, now()) > k.period_start then 0 else k.spent_nanos end,
      period_start = window_start(k.reset_interval, k.period_start, now()),
      total_spent_nanos = k.total_spent_nanos + c.cost,
      held_nanos = k.held_nanos + c.delta
    from change c where k.account_id = c.account_id and k.key_id = c.key_id
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
    when exists (
      select 1 from request_logs l where l.account_id = c.account_id and l.created_at = c.created_at and l.id = c.id
    ) then 'settled'
    else 'lapsed'
  end
  from charge c;
end $$;

-- What one flush of a process's lane carries, as before; but while a charge finds its hold lapsed, nothing grows: what
-- the process asked for counted on that hold. `grants` is null then, and the process asks again. A batch that is sent
-- again thus finds no hold that its first sending made.
create or replace function flush_ledger(
  charges charge[], targets hold_target[], asks hold_ask[], out outcomes json, out grants json
) language plpgsql as $$
declare
  lapsed boolean;
begin
  select json_object_agg(s.request_id, s.outcome), bool_or(s.outcome = 'lapsed') into outcomes, lapsed
  from settle_requests(charges, targets) s;
  if cardinality(asks) > 0 and lapsed is not true then
    select coalesce(json_object_agg(g.hold_id, json_build_object(
      'amount', g.amount::text, 'room_limit', g.room_limit::text, 'short_of', g.short_of
    )), '{}') into grants from grow_holds(asks) g;
  end if;
end $$;
