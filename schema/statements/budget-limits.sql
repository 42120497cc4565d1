-- Returns, for each of an account's budgets `ids` that still exists and refuses requests, the amount that is not spent in its current period
-- (`unspent`), and the part of it that holds have (`held`). The oldest budget has the lowest `turn`.
create function budget_limits(account uuid, ids uuid[])
returns table (id uuid, turn bigint, unspent bigint, held bigint)
language plpgsql set enable_seqscan = off as $$
begin
  return query
  select b.id, row_number() over (order by b.created_at, b.id),
    b.limit_nanos - spent_in_window(b.reset_interval, b.counted_at, b.day_spent_nanos, b.week_spent_nanos,
      b.month_spent_nanos, b.total_spent_nanos, clock_timestamp()),
    b.held_nanos
  from budgets b where b.account_id = account and b.id = any (ids) and b.action = 'refuse';
end $$;
