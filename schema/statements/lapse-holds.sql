-- Forgets processes whose heartbeat is older than `dead_after`, and gives back the holds of processes that are not known.
-- An account that others have locked is left for the next time. Returns how many holds lapsed.
create function lapse_holds(dead_after interval) returns integer language plpgsql as $$
declare
  accounts uuid[];
  lapsed integer;
begin
  delete from processes where id in (
    select p.id from processes p where p.heartbeat_at < clock_timestamp() - dead_after
    order by p.id for update skip locked);

  accounts := array(
    select b.account_id from balances b
    where b.account_id in (
      select h.account_id from holds h
      where h.process_id is not null and not exists (select from processes p where p.id = h.process_id))
    order by b.account_id for no key update skip locked);
  if cardinality(accounts) = 0 then return 0; end if;

  with gone as (
    delete from holds h
    where h.account_id = any (accounts) and h.process_id is not null
      and not exists (select from processes p where p.id = h.process_id)
    returning h.account_id, h.key_id, h.amount_nanos
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
  return lapsed;
end $$;
