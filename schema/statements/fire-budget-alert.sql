-- Looks at what a key has spent of its cap, and queues the alert where 80 or 100 percent are reached that the account was
-- not told of in this period. Of two that are reached at once, the higher is told. `cause` is why it is looked at:
--
--   spent    something was charged to the key
--   cap      the cap was made or changed: what is no longer reached may be told again
--   refused  a request found too little left of the cap: from 80 percent on that counts as all of it, since the last
--            of a cap can seldom be spent exactly
--
-- Then it marks from which total on the key must be looked at again. That total may be reached early, since the period
-- may end before; it is never reached late.
create function fire_budget_alert(account uuid, key uuid, cause text) returns void language plpgsql as $$
declare
  at timestamptz := clock_timestamp();
  budget key_budgets;
  period timestamptz;
  spent bigint;
  most bigint; -- 80 percent of the cap
  reached smallint;
  told smallint;
begin
  select k.* into budget from key_budgets k where k.account_id = account and k.key_id = key for no key update;
  if not found then return; end if;
  if budget.limit_nanos is null or budget.limit_nanos <= 0 then
    update key_budgets k set check_from_nanos = null, notified_percent = null, notified_period = null
    where k.account_id = account and k.key_id = key;
    return;
  end if;

  period := window_start(budget.reset_interval, 'epoch', at);
  spent := spent_in_window(budget.reset_interval, budget.counted_at, budget.day_spent_nanos, budget.week_spent_nanos,
    budget.month_spent_nanos, budget.total_spent_nanos, at);
  most := budget.limit_nanos - budget.limit_nanos / 5;
  reached := case when spent >= budget.limit_nanos then 100 when spent >= most then 80 else 0 end;
  told := case when budget.notified_period = period then budget.notified_percent else 0 end;
  if cause = 'cap' then told := least(told, reached); end if;
  if cause = 'refused' and reached = 80 then reached := 100; end if;

  if reached > told then
    perform graphile_worker.add_job('send-budget-alert', json_build_object(
      'accountId', account, 'keyId', key, 'id', gen_random_uuid(), 'percent', reached,
      'limitNanos', budget.limit_nanos::text, 'spentNanos', spent::text, 'resetInterval', budget.reset_interval,
      'at', at));
    told := reached;
  end if;
  update key_budgets k set notified_percent = told, notified_period = period,
    check_from_nanos = case
      when told < 80 then budget.total_spent_nanos + most - spent
      when told < 100 then budget.total_spent_nanos + least(budget.limit_nanos - spent, most)
      when budget.reset_interval <> 'none' then budget.total_spent_nanos + most
    end
  where k.account_id = account and k.key_id = key;
end $$;
