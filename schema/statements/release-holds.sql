-- Releases the holds of unknown processes on these accounts. The caller has locked the accounts. Returns the number of
-- released holds.
create function release_holds(accounts uuid[]) returns integer language plpgsql as $$
declare
  released integer;
  of_budgets budget_change[];
begin
  with gone as (
    delete from holds h
    where h.account_id = any (accounts) and h.process_id is not null
      and not exists (select from processes p where p.id = h.process_id)
    returning h.account_id, h.key_id, h.budget_ids, h.amount_nanos
  ), on_account as (
    update balances b set held_nanos = b.held_nanos - g.amount
    from (select account_id, sum(amount_nanos)::bigint as amount from gone group by account_id) g
    where b.account_id = g.account_id
  ), on_key as (
    update key_budgets k set held_nanos = k.held_nanos - g.amount
    from (select account_id, key_id, sum(amount_nanos)::bigint as amount from gone group by account_id, key_id) g
    where k.account_id = g.account_id and k.key_id = g.key_id
  )
  select count(*), array_agg((account_id, budget_ids, -amount_nanos, 0, null)::budget_change) filter (where budget_ids is not null)
    into released, of_budgets
  from gone;
  if of_budgets is not null then perform count_budgets(of_budgets, clock_timestamp()); end if;
  return released;
end $$;
