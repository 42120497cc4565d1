-- Repairs what ledger_differences finds wrong with an account's holds, tasks and log, in one transaction. No repair
-- moves money: transactions and credits do not change, and cost and log follow the transactions. Safe beside a
-- running system, because it locks the account and its holds first, and safe to repeat.
--
--   a hold without an open task, or of an ended process           is released
--   an open task that differs from its hold                       gets a hold of its price if available covers it
--   held of the account, of a key or of a budget                  becomes the sum of the holds
--   the spend of a key or budget, also in its current periods     becomes the sum of its transactions
--   the cost of an ended task, or of a request in the log         becomes the sum of its transactions, if it has at most one charge
--   an ended task without its row in the log                       gets one
create function repair_account(account uuid) returns void language plpgsql as $$
declare
  t tasks;
  available bigint;
  r record;
  at timestamptz;
  compared_from timestamptz := now() - compared_log_time();
begin
  -- Charges that were added to holds after the post would be missing in the sums below.
  perform lock_books(account);
  perform post_accounts(array[account]);
  at := clock_timestamp();
  perform forget_processes(interval '1 minute');
  delete from holds h where h.account_id = account and (
    h.process_id is not null and not exists (select from processes p where p.id = h.process_id)
    or h.task_id is not null and not exists (
      select from tasks o where o.account_id = account and o.id = h.task_id and o.hold_id = h.id and o.finished_at is null));

  for t in
    select o.* from tasks o left join holds h on h.account_id = account and h.id = o.hold_id and h.task_id = o.id
    where o.account_id = account and o.finished_at is null and not o.own_only
      and o.price_nanos <> coalesce(h.amount_nanos, 0)
    order by o.id for no key update of o
  loop
    select b.credits_nanos - coalesce((
      select sum(h.amount_nanos) from holds h where h.account_id = account and h.task_id is distinct from t.id), 0)
      into available
    from balances b where b.account_id = account;
    continue when available is null or available < t.price_nanos;
    delete from holds h where h.account_id = account and h.task_id = t.id;
    t.hold_id := gen_random_uuid();
    insert into holds (account_id, id, key_id, task_id, budget_ids, amount_nanos, in_use_nanos, granted_at)
    values (account, t.hold_id, t.api_key_id, t.id, t.budget_ids, t.price_nanos, t.price_nanos, clock_timestamp());
    update tasks o set hold_id = t.hold_id where o.account_id = account and o.id = t.id;
  end loop;

  update balances b set held_nanos = s.held
  from (select coalesce(sum(h.amount_nanos), 0)::bigint as held from holds h where h.account_id = account) s
  where b.account_id = account and b.held_nanos <> s.held;
  update key_budgets k set held_nanos = s.held
  from (
    select f.key_id, coalesce(sum(h.amount_nanos), 0)::bigint as held
    from key_budgets f left join holds h on h.account_id = f.account_id and h.key_id = f.key_id
    where f.account_id = account group by f.key_id
  ) s
  where k.account_id = account and k.key_id = s.key_id and k.held_nanos <> s.held;

  update budgets g set held_nanos = s.held
  from (
    select f.id, coalesce(sum(h.amount_nanos), 0)::bigint as held
    from budgets f left join holds h on h.account_id = f.account_id and f.id = any (h.budget_ids)
    where f.account_id = account group by f.id
  ) s
  where g.account_id = account and g.id = s.id and g.held_nanos <> s.held;

  -- A refund counts in the windows of its charge, as refund_request counts it. On Citus, a statement that
  -- changes a table of the coordinator cannot read a distributed one, so each difference is read first.
  for r in
    select f.key_id, coalesce(sum(c.cost), 0)::bigint as total,
      coalesce(sum(c.cost) filter (where c.since >= date_trunc('day', at, 'UTC')), 0)::bigint as day,
      coalesce(sum(c.cost) filter (where c.since >= date_trunc('week', at, 'UTC')), 0)::bigint as week,
      coalesce(sum(c.cost) filter (where c.since >= date_trunc('month', at, 'UTC')), 0)::bigint as month
    from key_budgets f left join (
      select x.api_key_id, -sum(x.credits_nanos) as cost, min(x.created_at) as since
      from transactions x where x.account_id = account and x.api_key_id is not null
      group by x.api_key_id, coalesce(x.request_id, x.id)
    ) c on c.api_key_id = f.key_id
    where f.account_id = account
    group by f.key_id, f.total_spent_nanos having f.total_spent_nanos <> coalesce(sum(c.cost), 0)
  loop
    update key_budgets k set
      total_spent_nanos = r.total, day_spent_nanos = r.day, week_spent_nanos = r.week, month_spent_nanos = r.month,
      counted_at = at
    where k.account_id = account and k.key_id = r.key_id;
  end loop;
  for r in
    select f.id, coalesce(sum(c.cost), 0)::bigint as total,
      coalesce(sum(c.cost) filter (where c.since >= date_trunc('day', at, 'UTC')), 0)::bigint as day,
      coalesce(sum(c.cost) filter (where c.since >= date_trunc('week', at, 'UTC')), 0)::bigint as week,
      coalesce(sum(c.cost) filter (where c.since >= date_trunc('month', at, 'UTC')), 0)::bigint as month
    from budgets f left join (
      select unnest(x.budget_ids) as budget_id, -sum(x.credits_nanos) as cost, min(x.created_at) as since
      from transactions x where x.account_id = account and x.budget_ids is not null
      group by budget_id, coalesce(x.request_id, x.id)
    ) c on c.budget_id = f.id
    where f.account_id = account
    group by f.id, f.total_spent_nanos having f.total_spent_nanos <> coalesce(sum(c.cost), 0)
  loop
    update budgets g set
      total_spent_nanos = r.total, day_spent_nanos = r.day, week_spent_nanos = r.week, month_spent_nanos = r.month,
      counted_at = at
    where g.account_id = account and g.id = r.id;
  end loop;
  for r in
    select o.id, c.cost_nanos as cost
    from tasks o left join charged_requests c on c.account_id = o.account_id and c.request_id = o.request_id
    where o.account_id = account and o.finished_at is not null
      and o.cost_nanos is distinct from case when c.request_id is null then 0 else c.cost_nanos end
      and (c.request_id is null or c.cost_nanos is not null)
  loop
    update tasks o set cost_nanos = coalesce(r.cost, 0) where o.account_id = account and o.id = r.id;
  end loop;
  for r in
    select l.created_at, l.id, l.api_key_id, l.model, l.end_user, l.metadata, l.cost_nanos,
      coalesce(c.cost_nanos, 0) as cost
    from request_logs l left join charged_requests c on c.account_id = l.account_id and c.request_id = l.id
    where l.account_id = account and l.cost_nanos <> case when c.request_id is null then 0 else c.cost_nanos end
  loop
    if runs_on_citus() then perform commit_in_two_phases(); end if;
    update request_logs l set cost_nanos = r.cost, cost_terms = null
    where l.account_id = account and l.created_at = r.created_at and l.id = r.id;
    perform count_usage(
      account, r.created_at, r.api_key_id, r.model, r.end_user, r.metadata, 0, cost_nanos => r.cost - r.cost_nanos);
  end loop;

  for t in
    select o.* from tasks o left join (
      select created_at, id from request_logs where account_id = account and created_at > compared_from
    ) l on l.created_at = o.created_at and l.id = o.request_id
    where o.account_id = account and o.finished_at is not null and o.created_at > compared_from and l.id is null
  loop
    perform log_task(t, t.finished_at, t.status, case t.status when 'success' then 200 when 'cancelled' then 499 else 502 end,
      t.error_code, coalesce(t.cost_nanos, 0));
  end loop;
end $$;
