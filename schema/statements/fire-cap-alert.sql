-- Queues the alert of a key's cap if it is due. `cause` as in due_alert.
create function fire_cap_alert(account uuid, key uuid, cause text) returns void language plpgsql as $$
declare
  alert record;
begin
  select k.limit_nanos, k.reset_interval, due.* into alert
  from (select * from key_budgets k where k.account_id = account and k.key_id = key for no key update) k
  cross join due_alert(cause, k.limit_nanos, k.reset_interval, k.counted_at, k.day_spent_nanos, k.week_spent_nanos,
    k.month_spent_nanos, k.total_spent_nanos, k.notified_percent, k.notified_period) due;
  if alert.percent is not null then
    perform graphile_worker.add_job('send-cap-alert', json_build_object(
      'accountId', account, 'keyId', key, 'id', gen_random_uuid(), 'percent', alert.percent,
      'limitNanos', alert.limit_nanos::text, 'spentNanos', alert.spent::text, 'resetInterval', alert.reset_interval,
      'at', clock_timestamp()));
  end if;
  update key_budgets k set notified_percent = alert.notified, notified_period = alert.period,
    check_from_nanos = alert.check_from
  where k.account_id = account and k.key_id = key;
end $$;
