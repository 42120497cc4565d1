-- Does the same as grow_holds for one hold, at a quarter of the cost, with simple statements on single rows. Locks the
-- account. Returns the same as grow_holds, or null if balance or cap do not cover the need. Unposted charges need not be
-- posted: until then, they count as held.
create function grow_hold(process uuid, a hold_ask) returns json language plpgsql as $$
declare
  ceiling bigint;
  rest bigint;
  unspent bigint;
  under_cap bigint;
  hundredth bigint;
  added bigint;
  total bigint;
begin
  select b.credits_nanos, b.credits_nanos - b.held_nanos into ceiling, rest
  from balances b where b.account_id = a.account_id for no key update;
  select k.limit_nanos - s.spent, k.limit_nanos - s.spent - k.held_nanos into unspent, under_cap
  from key_budgets k cross join lateral spent_in_window(k.reset_interval, k.counted_at, k.day_spent_nanos,
    k.week_spent_nanos, k.month_spent_nanos, k.total_spent_nanos, clock_timestamp()) s (spent)
  where k.account_id = a.account_id and k.key_id = a.key_id and k.limit_nanos is not null;
  rest := least(rest, under_cap);
  if rest is null or a.need > rest then return null; end if;

  hundredth := (rest - a.need) / 100;
  added := a.need + least(a.ahead, hundredth);
  update balances b set held_nanos = b.held_nanos + added where b.account_id = a.account_id;
  update key_budgets k set held_nanos = k.held_nanos + added
  where k.account_id = a.account_id and k.key_id = a.key_id;
  insert into holds as h (account_id, id, key_id, process_id, amount_nanos, in_use_nanos, granted_at)
  values (a.account_id, a.hold_id, a.key_id, process, added, least(a.demand, added), clock_timestamp())
  on conflict (account_id, id) do update
    set amount_nanos = h.amount_nanos + excluded.amount_nanos,
      in_use_nanos = greatest(h.in_use_nanos, excluded.in_use_nanos), granted_at = excluded.granted_at
  returning h.amount_nanos into total;
  return json_build_object(a.hold_id, json_build_object('amount', total::text, 'room_limit', hundredth::text,
    'short_of', null, 'ceiling', least(ceiling, unspent)::text));
end $$;
