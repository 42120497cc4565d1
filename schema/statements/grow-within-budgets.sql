-- Grows the hold of requests that count in budgets, with simple statements on single rows. Locks the account. Does the same
-- as grow_holds for one hold, but grants at most the rest of the balance, of the key's cap, and of each budget. If that is
-- too little, returns null with `only_whole`, and otherwise releases the holds of processes that were declared dead first.
-- The caller has posted the account, except with `only_whole`.
--
-- `short_of` is the ID of the budget that was too low. If several limits were too low, it is the first one (balance, cap,
-- then the oldest budget) that would be too low even without holds, or else the first one.
create function grow_within_budgets(process uuid, a hold_ask, only_whole boolean default false) returns json language plpgsql as $$
declare
  rest bigint;
  ceiling bigint;
  short_of text;
  hundredth bigint;
  added bigint;
  total bigint;
begin
  perform 1 from balances b where b.account_id = a.account_id for no key update;
  if not found then return '{}'; end if;
  loop
    select min(l.unspent - l.held), min(l.unspent),
      (array_agg(l.name order by l.unspent < a.minimum desc, l.turn) filter (where l.unspent - l.held < a.need))[1]
      into rest, ceiling, short_of
    from (
      select 'balance' as name, -1 as turn, b.credits_nanos as unspent, b.held_nanos as held
      from balances b where b.account_id = a.account_id
      union all
      select 'cap', 0, k.limit_nanos - spent_in_window(k.reset_interval, k.counted_at, k.day_spent_nanos,
        k.week_spent_nanos, k.month_spent_nanos, k.total_spent_nanos, clock_timestamp()), k.held_nanos
      from key_budgets k where k.account_id = a.account_id and k.key_id = a.key_id and k.limit_nanos is not null
      union all
      select l.id::text, l.turn, l.unspent, l.held from budget_limits(a.account_id, a.budget_ids) l
    ) l;
    if only_whole and rest < a.need then return null; end if;
    exit when rest >= a.need or release_holds(array[a.account_id]) = 0;
  end loop;

  rest := greatest(0, rest);
  if rest >= a.need then
    hundredth := (rest - a.need) / 100;
    added := a.need + least(a.ahead, hundredth);
  else
    hundredth := 0;
    added := case when rest >= a.minimum then rest else 0 end;
  end if;
  if added > 0 then
    update balances b set held_nanos = b.held_nanos + added where b.account_id = a.account_id;
    update key_budgets k set held_nanos = k.held_nanos + added
    where k.account_id = a.account_id and k.key_id = a.key_id;
    perform count_budgets(
      array[(a.account_id, a.budget_ids, added, 0, null)::budget_change], clock_timestamp());
    insert into holds as h (
      account_id, id, key_id, process_id, budget_ids, amount_nanos, in_use_nanos, granted_at
    ) values (
      a.account_id, a.hold_id, a.key_id, process, a.budget_ids, added, least(a.demand, added), clock_timestamp()
    ) on conflict (account_id, id) do update
      set amount_nanos = h.amount_nanos + excluded.amount_nanos,
        in_use_nanos = greatest(h.in_use_nanos, excluded.in_use_nanos), granted_at = excluded.granted_at
    returning h.amount_nanos into total;
  else
    select h.amount_nanos into total from holds h where h.account_id = a.account_id and h.id = a.hold_id;
  end if;
  return json_build_object(a.hold_id, json_build_object('amount', total::text, 'room_limit', hundredth::text,
    'short_of', short_of, 'ceiling', ceiling::text));
end $$;
