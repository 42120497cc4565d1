-- Grows the holds of a process. Each row is one hold: `need` is the amount for waiting requests, `minimum` is the
-- smallest amount that helps one of them, and `ahead` is headroom beyond `need`. Grants at most the rest of the balance
-- and of the key's cap, earlier rows first. Headroom is at most one hundredth of that rest, so that it has no effect
-- near the limit. The caller has locked and posted the accounts. Holds of processes that were declared dead count as free; such a
-- process pays its requests from the amount that it had held.
--
-- Returns, by hold, its new amount, its allowed headroom, the limit that was too low (`balance` or `cap`), and `ceiling`:
-- the amount that would be available if all holds were released, minus the amount that can be spent of it until then.
--
-- Planned once, like settle_requests.
create function grow_holds(process uuid, asks hold_ask[]) returns json
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  grants json;
begin
  perform release_holds(array(select distinct a.account_id from unnest(asks) a));
  -- Alerts change keys without the account's lock. A row that was moved while the update below waited for it would be
  -- skipped.
  perform 1 from unnest(asks) a cross join lateral (
    select from key_budgets f where f.account_id = a.account_id and f.key_id = a.key_id for no key update
  ) locked;
  with ask as materialized (
    select a.*, row_number() over () as turn from unnest(asks) a
  ), room as (
    select ask.*, b.credits_nanos, b.credits_nanos - b.held_nanos as available,
      k.limit_nanos - spent_in_window(k.reset_interval, k.counted_at, k.day_spent_nanos, k.week_spent_nanos,
        k.month_spent_nanos, k.total_spent_nanos, clock_timestamp()) as unspent,
      k.held_nanos as held_of_key
    from ask
    cross join lateral (select * from balances f where f.account_id = ask.account_id offset 0) b
    left join lateral (
      select * from key_budgets f where f.account_id = ask.account_id and f.key_id = ask.key_id offset 0
    ) k on true
  ), wanted as (
    select capped.*, least(need, under_cap) as want
    from (
      select room.*, case when unspent is not null then greatest(0, unspent - held_of_key) end as under_cap from room
    ) capped
  ), granted as (
    select wanted.*,
      greatest(0, least(want, available - coalesce(sum(want) over earlier, 0)))::bigint as there,
      greatest(0, available - sum(want) over account)::bigint as left_over,
      count(*) over account as sharers
    from wanted
    window earlier as (partition by account_id order by turn rows between unbounded preceding and 1 preceding),
      account as (partition by account_id)
  ), final as materialized (
    select granted.*, case when there >= granted.minimum then there else 0 end as base,
      least(left_over / 100 / sharers, coalesce((under_cap - there) / 100, left_over)) as hundredth
    from granted
  ), amounts as materialized (
    select final.*, base + case when base < need then 0 else least(ahead, hundredth) end as added from final
  ), held as (
    insert into holds as h (account_id, id, key_id, process_id, amount_nanos, in_use_nanos, granted_at)
    select account_id, amounts.hold_id, key_id, process, added, least(demand, added), clock_timestamp()
    from amounts where added > 0
    on conflict (account_id, id) do update
      set amount_nanos = h.amount_nanos + excluded.amount_nanos,
        in_use_nanos = greatest(h.in_use_nanos, excluded.in_use_nanos), granted_at = excluded.granted_at
    returning h.account_id, h.id, h.amount_nanos
  ), on_account as (
    update balances b set held_nanos = b.held_nanos + s.added
    from (select account_id, sum(added)::bigint as added from amounts group by account_id) s
    cross join lateral (select f.ctid from balances f where f.account_id = s.account_id offset 0) found
    where b.ctid = found.ctid and s.added > 0
  ), on_key as (
    update key_budgets k set held_nanos = k.held_nanos + a.added
    from amounts a cross join lateral (
      select f.ctid from key_budgets f where f.account_id = a.account_id and f.key_id = a.key_id offset 0
    ) found
    where k.ctid = found.ctid and a.added > 0
  )
  select json_object_agg(a.hold_id, json_build_object(
    'amount', coalesce(held.amount_nanos, before.amount_nanos)::text, 'room_limit', a.hundredth::text, 'short_of',
    case when a.there >= a.need then null when a.want < a.need and a.there >= a.want then 'cap' else 'balance' end,
    'ceiling', least(a.credits_nanos, a.unspent)::text
  )) into grants
  from amounts a
  left join held on held.account_id = a.account_id and held.id = a.hold_id
  left join lateral (
    select * from holds f where f.account_id = a.account_id and f.id = a.hold_id offset 0
  ) before on true;
  return coalesce(grants, '{}');
end $$;
