-- Queues the alert of a budget if it is due. `cause` as in due_alert.
create function fire_budget_alert(account uuid, budget uuid, cause text) returns void language plpgsql as $$
declare
  alert record;
begin
  select k.limit_nanos, k.reset_interval, due.* into alert
  from (select * from budgets k where k.account_id = account and k.id = budget for no key update) k
  cross join due_alert(cause, k.limit_nanos, k.reset_interval, k.counted_at, k.day_spent_nanos, k.week_spent_nanos,
    k.month_spent_nanos, k.total_spent_nanos, k.notified_percent, k.notified_period) due;
  if alert.percent is not null then
    perform graphile_worker.add_job('send-budget-alert', json_build_object(
      'accountId', account, 'budgetId', budget, 'id', gen_random_uuid(), 'percent', alert.percent,
      'limitNanos', alert.limit_nanos::text, 'spentNanos', alert.spent::text, 'resetInterval', alert.reset_interval,
      'at', clock_timestamp()));
  end if;
  update budgets k set notified_percent = alert.notified, notified_period = alert.period,
    check_from_nanos = alert.check_from
  where k.account_id = account and k.id = budget;
end $$;
