-- Applies changes to the budgets that they name, at the time `at`. Deleted budgets are skipped. Costs are below zero for
-- refunds. The caller has locked the accounts.
create function count_budgets(changes budget_change[], at timestamptz) returns void
language plpgsql set enable_seqscan = off as $$
declare
  today timestamptz := date_trunc('day', at, 'UTC');
  this_week timestamptz := date_trunc('week', at, 'UTC');
  this_month timestamptz := date_trunc('month', at, 'UTC');
begin
  -- Alerts change budgets without the account's lock. A row that was moved while the update below waited for it would be
  -- skipped.
  perform 1 from unnest(changes) x cross join unnest(x.budget_ids) budget_id cross join lateral (
    select from budgets f where f.account_id = x.account_id and f.id = budget_id for no key update
  ) locked;
  update budgets b set
    day_spent_nanos = greatest(0, c.cost_today + counted_since(today, b.day_spent_nanos, b.counted_at, at)),
    week_spent_nanos = greatest(0, c.cost_this_week + counted_since(this_week, b.week_spent_nanos, b.counted_at, at)),
    month_spent_nanos = greatest(0, c.cost_this_month + counted_since(this_month, b.month_spent_nanos, b.counted_at, at)),
    counted_at = later_count(b.counted_at, at),
    total_spent_nanos = b.total_spent_nanos + c.cost,
    held_nanos = b.held_nanos + c.held
  from (
    select x.account_id, budget_id, sum(x.held)::bigint as held, sum(x.cost)::bigint as cost,
      coalesce(sum(x.cost) filter (where coalesce(x.since, at) >= today), 0)::bigint as cost_today,
      coalesce(sum(x.cost) filter (where coalesce(x.since, at) >= this_week), 0)::bigint as cost_this_week,
      coalesce(sum(x.cost) filter (where coalesce(x.since, at) >= this_month), 0)::bigint as cost_this_month
    from unnest(changes) x cross join unnest(x.budget_ids) budget_id
    group by x.account_id, budget_id
  ) c cross join lateral (
    select f.ctid from budgets f where f.account_id = c.account_id and f.id = c.budget_id offset 0
  ) found
  where b.ctid = found.ctid;
end $$;
