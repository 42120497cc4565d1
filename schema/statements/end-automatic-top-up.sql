-- Records the outcome of an automatic top-up in the account's settings. `policy` is `paid`, `retry` (a decline: the next
-- attempt starts after an hour, then after a day, and the third decline in a row switches automatic top-ups off), `stop`
-- (a decline that is final), `authenticate` (the bank requires the cardholder: off until a payment on Stripe's page), or
-- `wait` (a fault that is not the card's: the next attempt starts after an hour). If it is switched off, a job notifies
-- the account.
create function end_automatic_top_up(account uuid, payment text, policy text) returns void language plpgsql as $$
declare
  settings automatic_top_ups;
begin
  perform from balances b where b.account_id = account for no key update;
  update automatic_top_ups a set
    declines = case policy when 'paid' then 0 when 'wait' then a.declines else a.declines + 1 end,
    retry_at = case
      when policy = 'paid' then null
      when policy = 'retry' and a.declines > 0 then now() + interval '1 day'
      else now() + interval '1 hour'
    end
  where a.account_id = account returning a.* into settings;
  if settings.is_on and (policy in ('stop', 'authenticate') or (policy = 'retry' and settings.declines >= 3)) then
    update automatic_top_ups a set is_on = false, retry_at = null,
      stop_reason = case policy when 'authenticate' then 'authentication_required' else 'declined' end
    where a.account_id = account;
    perform graphile_worker.add_job('send-top-up-notice', json_build_object('accountId', account, 'paymentId', payment),
      job_key := 'send-top-up-notice:' || payment);
  end if;
  perform mark_automatic_top_up(account);
end $$;
