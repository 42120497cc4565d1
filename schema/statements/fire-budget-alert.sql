-- Checks how much a key has spent of its cap, and queues an alert if 80 or 100 percent are reached and the account was
-- not notified in this period. If both are reached at once, only the alert for 100 percent is queued. `cause` is the
-- reason for the check:
--
--   spent    the key was charged
--   cap      the cap was set or changed: alerts whose threshold is no longer reached can fire again
--   refused  a request exceeded the rest of the cap: from 80 percent on, this counts as 100 percent, because the last
--            part of a cap can seldom be spent exactly
--
-- Then stores the spent amount at which the key must be checked again. If the period ends before, the check can be too
-- early, but never too late.
create function fire_budget_alert(account uuid, key uuid, cause text) returns void language plpgsql as $$
declare
  at timestamptz := clock_timestamp();
  budget key_budgets;
  period timestamptz;
  spent bigint;
  warning_nanos bigint; -- 80 percent of the cap
  reached smallint;
  notified smallint;
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
  warning_nanos := budget.limit_nanos - budget.limit_nanos / 5;
  reached := case when spent >= budget.limit_nanos then 100 when spent >= warning_nanos then 80 else 0 end;
  notified := case when budget.notified_period = period then budget.notified_percent else 0 end;
  if cause = 'cap' then notified := least(notified, reached); end if;
  if cause = 'refused' and reached = 80 then reached := 100; end if;

  if reached > notified then
    perform graphile_worker.add_job('send-budget-alert', json_build_object(
      'accountId', account, 'keyId', key, 'id', gen_random_uuid(), 'percent', reached,
      'limitNanos', budget.limit_nanos::text, 'spentNanos', spent::text, 'resetInterval', budget.reset_interval,
      'at', at));
    notified := reached;
  end if;
  update key_budgets k set notified_percent = notified, notified_period = period,
    check_from_nanos = case
      when notified < 80 then budget.total_spent_nanos + warning_nanos - spent
      when notified < 100 then budget.total_spent_nanos + least(budget.limit_nanos - spent, warning_nanos)
      when budget.reset_interval <> 'none' then budget.total_spent_nanos + warning_nanos
    end
  where k.account_id = account and k.key_id = key;
end $$;
