-- Finds violations of the ledger's invariants (domain/ledger/README.md). A correct ledger has none at any moment,
-- because every change is one transaction and this is one statement. The only exception is holds of ended processes
-- until a worker releases them. `subject` is the key, budget, hold, request, payment or task that differs, or null for the
-- balance. Amounts are nano-dollars.
create function ledger_differences(accounts uuid[])
returns table (account_id uuid, fault text, subject text, expected_nanos bigint, found_nanos bigint)
language plpgsql stable as $$
declare
  compared_from timestamptz := now() - compared_log_time();
begin
  return query
  -- On Citus, other tables can only join the results of statements on distributed tables.
  with entered as materialized (
    select t.account_id, sum(t.credits_nanos)::bigint as credits,
      (sum(t.credits_nanos) filter (where t.payment_method in ('payment_refund', 'dispute')))::bigint as reversed
    from transactions t where t.account_id = any (accounts) group by t.account_id
  ), of_keys as materialized (
    select t.account_id, t.api_key_id, -sum(t.credits_nanos)::bigint as spent
    from transactions t where t.account_id = any (accounts) and t.api_key_id is not null group by 1, 2
  ), of_budgets as materialized (
    select t.account_id, unnest(t.budget_ids) as budget_id, -sum(t.credits_nanos)::bigint as spent
    from transactions t where t.account_id = any (accounts) and t.budget_ids is not null group by 1, 2
  ), of_payments as materialized (
    select t.account_id, t.source, t.credits_nanos
    from transactions t where t.account_id = any (accounts) and t.payment_method <> 'usage'
  ), reversals as materialized (
    select p.account_id, r.id,
      case when r.state = 'taken' then -credited_share(r.amount_nanos, p.amount_nanos, p.tax_nanos) else 0 end as expected,
      array(
        select r.kind || ':' || r.id || case when n > 1 then ':' || n else '' end || suffix
        from generate_series(1, r.times) n, unnest(array['', ':returned']) suffix) as sources
    from payments p join payment_reversals r on r.payment_intent_id = p.payment_intent_id and p.status = 'completed'
    where p.account_id = any (accounts)
  ), running as materialized (
    select t.account_id, t.id, t.hold_id, t.own_only, t.price_nanos
    from tasks t where t.account_id = any (accounts) and t.finished_at is null
  ), not_logged as materialized (
    select t.account_id, t.request_id, -t.credits_nanos as cost
    from transactions t left join request_logs l on l.account_id = t.account_id and l.id = t.request_id
    where t.account_id = any (accounts) and t.payment_method = 'usage' and t.request_id is not null
      and t.created_at > compared_from and l.id is null
  )
  select b.account_id, 'credits differ from transactions', null::text, coalesce(t.credits, 0), b.credits_nanos
  from current_balances b left join entered t on t.account_id = b.account_id
  where b.account_id = any (accounts) and b.credits_nanos <> coalesce(t.credits, 0)
  union all
  select b.account_id, 'held differs from holds', null, h.sum, b.held_nanos
  from current_balances b cross join lateral (
    select coalesce(sum(h.amount_nanos), 0)::bigint as sum from holds h where h.account_id = b.account_id) h
  where b.account_id = any (accounts) and b.held_nanos <> h.sum
  union all
  select k.account_id, 'held of a key differs from its holds', k.key_id::text, h.sum, k.held_nanos
  from current_key_budgets k cross join lateral (
    select coalesce(sum(h.amount_nanos), 0)::bigint as sum from holds h
    where h.account_id = k.account_id and h.key_id = k.key_id) h
  where k.account_id = any (accounts) and k.held_nanos <> h.sum
  union all
  select k.account_id, 'what a key has spent differs from its transactions', k.key_id::text, coalesce(t.spent, 0),
    k.total_spent_nanos
  from current_key_budgets k left join of_keys t on t.account_id = k.account_id and t.api_key_id = k.key_id
  where k.account_id = any (accounts) and k.total_spent_nanos <> coalesce(t.spent, 0)
  union all
  select g.account_id, 'held of a budget differs from its holds', g.id::text, h.sum, g.held_nanos
  from current_budgets g cross join lateral (
    select coalesce(sum(h.amount_nanos), 0)::bigint as sum from holds h
    where h.account_id = g.account_id and g.id = any (h.budget_ids)) h
  where g.account_id = any (accounts) and g.held_nanos <> h.sum
  union all
  select g.account_id, 'what a budget has spent differs from its transactions', g.id::text, coalesce(t.spent, 0),
    g.total_spent_nanos
  from current_budgets g left join of_budgets t on t.account_id = g.account_id and t.budget_id = g.id
  where g.account_id = any (accounts) and g.total_spent_nanos <> coalesce(t.spent, 0)
  union all
  select b.account_id, 'available below zero by more than was taken back', null, coalesce(t.reversed, 0),
    b.credits_nanos - b.held_nanos
  from current_balances b left join entered t on t.account_id = b.account_id
  where b.account_id = any (accounts) and b.credits_nanos < b.held_nanos
    and b.credits_nanos - b.held_nanos < coalesce(t.reversed, 0)
  union all
  select h.account_id, 'a hold is below zero, or has more in use than it has', h.id::text, h.amount_nanos, h.in_use_nanos
  from holds h
  where h.account_id = any (accounts) and (h.amount_nanos < 0 or h.in_use_nanos < 0 or h.in_use_nanos > h.amount_nanos)
  union all
  select h.account_id, 'a hold has charges that were not subtracted from it', h.id::text, h.unposted_spent_nanos,
    h.unposted_held_nanos
  from holds h
  where h.account_id = any (accounts) and (h.unposted_spent_nanos < 0 or h.unposted_held_nanos < h.unposted_spent_nanos)
  union all
  select l.account_id, 'a request in the log differs from its transactions', l.id, coalesce(-t.credits, 0)::bigint,
    l.cost_nanos
  from request_logs l left join (
    select t.account_id, t.request_id, sum(t.credits_nanos) as credits,
      count(*) filter (where t.payment_method = 'usage') - count(*) filter (where t.payment_method = 'refund') as charges
    from transactions t where t.account_id = any (accounts) and t.request_id is not null group by 1, 2
  ) t on t.account_id = l.account_id and t.request_id = l.id
  where l.account_id = any (accounts) and (l.cost_nanos <> coalesce(-t.credits, 0)
    or coalesce(t.charges, 0) <> case when l.cost_nanos > 0 then 1 else 0 end)
  union all
  select p.account_id, 'a payment differs from its transaction', p.id,
    case when p.status = 'completed' then p.amount_nanos else 0 end, coalesce(t.credits_nanos, 0)
  from payments p left join of_payments t on t.account_id = p.account_id and t.source = 'payment:' || p.id
  where p.account_id = any (accounts)
    and coalesce(t.credits_nanos, 0) <> case when p.status = 'completed' then p.amount_nanos else 0 end
  union all
  select r.account_id, 'a refund or dispute differs from its transactions', r.id, r.expected, r.found
  from (
    select v.account_id, v.id, v.expected, coalesce(sum(t.credits_nanos), 0)::bigint as found
    from reversals v left join of_payments t on t.account_id = v.account_id and t.source = any (v.sources)
    group by v.account_id, v.id, v.expected
  ) r
  where r.found <> r.expected
  union all
  select t.account_id, 'a task that has not ended differs from its hold', t.id, t.price_nanos, coalesce(h.amount_nanos, 0)
  from running t left join holds h on h.account_id = t.account_id and h.id = t.hold_id and h.task_id = t.id
  where not t.own_only and t.price_nanos <> coalesce(h.amount_nanos, 0)
  union all
  select h.account_id, 'a hold is of no task that has not ended', h.id::text, 0, h.amount_nanos
  from holds h left join running t on t.account_id = h.account_id and t.id = h.task_id
  where h.account_id = any (accounts) and h.task_id is not null and t.id is null
  union all
  select t.account_id, 'a task that has ended differs from its transactions', t.id, coalesce(c.cost, 0),
    coalesce(t.cost_nanos, 0)
  from tasks t left join (
    select c.account_id, c.request_id, -sum(c.credits_nanos)::bigint as cost,
      count(*) filter (where c.payment_method = 'usage') - count(*) filter (where c.payment_method = 'refund') as charges
    from transactions c where c.account_id = any (accounts) and c.request_id is not null group by 1, 2
  ) c on c.account_id = t.account_id and c.request_id = t.request_id
  where t.account_id = any (accounts) and (coalesce(c.cost, 0) <> coalesce(t.cost_nanos, 0)
    or coalesce(c.charges, 0) <> case when t.cost_nanos > 0 then 1 else 0 end
    or (t.status <> 'success' and t.cost_nanos > 0) or (t.finished_at is null) <> (t.cost_nanos is null))
  union all
  -- Records that are kept no longer are not compared.
  select t.account_id, 'a task that has ended differs from the log', t.id, t.cost_nanos, coalesce(l.cost_nanos, 0)
  from tasks t left join request_logs l on l.account_id = t.account_id and l.created_at = t.created_at
    and l.id = t.request_id
  where t.account_id = any (accounts) and t.finished_at is not null and t.created_at > compared_from
    and l.cost_nanos is distinct from t.cost_nanos
  union all
  select t.account_id, 'a charge is not in the log', t.request_id, t.cost, 0
  from not_logged t
  join accounts a on a.id = t.account_id and a.erased_at is null -- the log of an erased account is deleted
  union all
  -- A worker releases these holds within seconds.
  select h.account_id, 'a hold is of a process that has ended', h.id::text, 0, h.amount_nanos
  from holds h left join processes p on p.id = h.process_id and p.heartbeat_at > now() - interval '1 minute'
  where h.account_id = any (accounts) and h.process_id is not null and p.id is null
    and greatest(h.created_at, h.granted_at) < now() - interval '1 minute';
end $$;
