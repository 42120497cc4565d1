-- The money statements. Each is one round trip and one transaction over a whole batch.
-- Every one locks the accounts first, in id order: two batches can then never deadlock, and what is read
-- after the lock is the latest truth (each command of the function takes a fresh snapshot).

-- Rows travel as arrays of these: text that Postgres reads at a fourth of the cost of JSON.

-- A request to charge and log; `hold_id` is the hold that pays, null where nothing is charged.
create type charge as (
  account_id uuid, hold_id uuid, transaction_id text, created_at timestamptz, id text, api_key_id uuid, route text,
  model text, answered_by text, vendor text, byok_id uuid, streamed boolean, status integer, error_code text,
  prompt_tokens bigint, cached_tokens bigint, cache_creation_tokens bigint, completion_tokens bigint,
  reasoning_tokens bigint, usage_estimated boolean, cost_nanos bigint, cost_terms text, end_user text,
  client_address text, upstream_request_id text, first_byte_ms integer, duration_ms integer
);

-- What a hold shall be.
create type hold_target as (account_id uuid, hold_id uuid, amount bigint, in_use bigint);

-- What a hold asks for.
create type hold_ask as (
  account_id uuid, hold_id uuid, key_id uuid, process_id uuid, need bigint, ahead bigint, demand bigint
);

-- Settles requests: request log, transaction, balance, key spend and hold in one go, unique on the request.
-- `hold_targets` states what each hold shall be afterwards (not by how much it changes), so that a batch whose
-- outcome is unknown can be sent again as it was. A charge whose hold has lapsed is not made: `lapsed`.
create function settle_requests(charges charge[], hold_targets hold_target[])
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
    join holds h on h.account_id = t.account_id and h.id = t.hold_id
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

-- Grows holds. One row a hold: `need` is for requests that wait, `ahead` is room kept beyond it.
-- Grants at most what the balance and the key's cap leave, earlier rows first; room ahead is at most one
-- hundredth of what is left, so that it cannot matter near the limit. Answers the hold's amount afterwards, what
-- was added, how much room ahead the hold may keep, and what there was too little of: `balance` or `cap`.
create function grow_holds(asks hold_ask[])
returns table (hold_id uuid, amount bigint, granted bigint, room_limit bigint, short_of text)
language plpgsql as $$
begin
  perform 1 from balances b
  where b.account_id in (select a.account_id from unnest(asks) a)
  order by b.account_id for no key update;

  return query
  with ask as materialized (
    select a.*, row_number() over () as turn from unnest(asks) a
  ), room as (
    select ask.*,
      b.credits_nanos - b.held_nanos as available,
      case when k.limit_nanos is null then null else greatest(0, k.limit_nanos - k.held_nanos - case
        when window_start(k.reset_interval, k.period_start, now()) > k.period_start then 0 else k.spent_nanos end)
      end as under_cap
    from ask
    join balances b on b.account_id = ask.account_id
    left join key_budgets k on k.account_id = ask.account_id and k.key_id = ask.key_id
  ), wanted as (
    select room.*, least(need, coalesce(under_cap, need)) as want from room
  ), granted as (
    select wanted.*,
      greatest(0, least(want, available - coalesce(sum(want) over earlier, 0)))::bigint as base,
      greatest(0, available - sum(want) over account)::bigint as left_over,
      count(*) over account as sharers
    from wanted
    window earlier as (partition by account_id order by turn rows between unbounded preceding and 1 preceding),
      account as (partition by account_id)
  ), final as materialized (
    select granted.*,
      least(left_over / 100 / sharers, coalesce((under_cap - base) / 100, left_over)) as hundredth
    from granted
  ), amounts as materialized (
    select final.*, base + case when base < need then 0 else least(ahead, hundredth) end as added from final
  ), held as (
    insert into holds as h (account_id, id, key_id, process_id, amount_nanos, in_use_nanos)
    select account_id, amounts.hold_id, key_id, process_id, added, least(demand, added) from amounts where added > 0
    on conflict (account_id, id) do update
      set amount_nanos = h.amount_nanos + excluded.amount_nanos,
        in_use_nanos = greatest(h.in_use_nanos, excluded.in_use_nanos)
    returning h.account_id, h.id, h.amount_nanos
  ), on_account as (
    update balances b set held_nanos = b.held_nanos + s.added
    from (select account_id, sum(added)::bigint as added from amounts group by account_id) s
    where b.account_id = s.account_id and s.added > 0
  ), on_key as (
    update key_budgets k set held_nanos = k.held_nanos + a.added
    from amounts a where k.account_id = a.account_id and k.key_id = a.key_id and a.added > 0
  )
  select a.hold_id, held.amount_nanos, a.added, a.hundredth,
    case when a.base >= a.need then null when a.want < a.need and a.base >= a.want then 'cap' else 'balance' end
  from amounts a left join held on held.account_id = a.account_id and held.id = a.hold_id
  order by a.turn;
end $$;

-- What one flush of a process's lane carries: settlements, the amounts that its holds shall have, then growth. The
-- amounts of the holds that ask to grow are among the targets, so that sending the same batch again neither charges
-- nor grows twice.
create function flush_ledger(
  charges charge[], targets hold_target[], asks hold_ask[], out outcomes json, out grants json
) language plpgsql as $$
begin
  select json_object_agg(s.request_id, s.outcome) into outcomes from settle_requests(charges, targets) s;
  if cardinality(asks) > 0 then
    select json_object_agg(g.hold_id, json_build_object(
      'amount', g.amount::text, 'room_limit', g.room_limit::text, 'short_of', g.short_of
    )) into grants from grow_holds(asks) g;
  end if;
end $$;

-- Gives back the holds of processes whose heartbeat is older than `dead_after`, or that are no longer known.
-- Returns how many holds lapsed.
create function lapse_holds(dead_after interval) returns integer language plpgsql as $$
declare
  dead uuid[];
  lapsed integer;
begin
  select array_agg(id) into dead from (
    select p.id from processes p where p.heartbeat_at < now() - dead_after order by p.id for update skip locked
  ) gone;
  select array_agg(distinct id) into dead from (
    select unnest(dead) as id
    union all
    select h.process_id from holds h
    where h.process_id is not null and not exists (select 1 from processes p where p.id = h.process_id)
  ) gone where id is not null;
  if dead is null then return 0; end if;

  perform 1 from balances b
  where b.account_id in (select h.account_id from holds h where h.process_id = any (dead))
  order by b.account_id for no key update;

  with gone as (
    delete from holds h where h.process_id = any (dead) returning h.account_id, h.key_id, h.amount_nanos
  ), on_account as (
    update balances b set held_nanos = b.held_nanos - g.amount
    from (select account_id, sum(amount_nanos)::bigint as amount from gone group by account_id) g
    where b.account_id = g.account_id
  ), on_key as (
    update key_budgets k set held_nanos = k.held_nanos - g.amount
    from (select account_id, key_id, sum(amount_nanos)::bigint as amount from gone group by account_id, key_id) g
    where k.account_id = g.account_id and k.key_id = g.key_id
  )
  select count(*) into lapsed from gone;

  delete from processes where id = any (dead);
  return lapsed;
end $$;
