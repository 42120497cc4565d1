-- Fires the alerts of an account whose threshold is above its credits, each with a job that sends the e-mail. Arms the
-- alerts whose threshold the credits have reached again. Called in the transaction that changed the credits, with the
-- account locked, so that only one of several charges fires an alert.
create function fire_balance_alerts(account uuid, credits bigint) returns void language plpgsql as $$
declare
  alert record;
begin
  update balance_alerts a set armed = true
  where a.account_id = account and not a.armed and a.threshold_nanos <= credits;
  for alert in
    update balance_alerts a set armed = false, fired = a.fired + 1
    where a.account_id = account and a.armed and a.threshold_nanos > credits
    returning a.id, a.fired, a.threshold_nanos
  loop
    perform graphile_worker.add_job('send-balance-alert', json_build_object(
      'accountId', account, 'alertId', alert.id, 'firing', alert.fired, 'thresholdNanos', alert.threshold_nanos::text,
      'creditsNanos', credits::text, 'at', clock_timestamp()));
  end loop;
  perform mark_balance_alerts(account);
end $$;
