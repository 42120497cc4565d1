-- Opens an automatic top-up of an account, or returns the top-up in progress. Returns nothing if the available amount
-- is not below the threshold, or if no top-up may start: mark-automatic-top-up.sql lists the reasons. If the top-up would
-- exceed the account's maximum per day (UTC), or if `most_failed` top-ups of the day have failed, the next one may start
-- after midnight.
create function open_automatic_top_up(account uuid, most_failed integer) returns setof payments language plpgsql as $$
declare
  threshold bigint;
  settings automatic_top_ups;
  used bigint;
  failed integer;
begin
  -- Two workers open one after the other.
  perform from balances b where b.account_id = account for no key update;
  return query
    select * from payments p where p.account_id = account and p.kind = 'automatic' and p.status = 'pending';
  if found then return; end if;

  select * into settings from automatic_top_ups a where a.account_id = account and a.is_on and a.retry_at is null for update;
  if settings.account_id is null or account_available(account) >= settings.threshold_nanos
    or exists (select from accounts c where c.id = account and account_refusal(c.suspended_at, c.closed_at) is not null)
  then
    perform mark_automatic_top_up(account);
    return;
  end if;

  -- A payment counts on the day of its completion.
  select coalesce(sum(p.amount_nanos) filter (where p.status = 'completed'), 0), count(*) filter (where p.status = 'failed')
  into used, failed from payments p
  where p.account_id = account and p.kind = 'automatic'
    and coalesce(p.completed_at, p.created_at) >= date_trunc('day', now(), 'UTC');
  if used + settings.amount_nanos > settings.daily_max_nanos or failed >= most_failed then
    update automatic_top_ups a set retry_at = date_trunc('day', now(), 'UTC') + interval '1 day'
    where a.account_id = account;
  else
    return query
      insert into payments (account_id, id, kind, amount_nanos, currency, card_id, called_at)
      select account, new_id('pay_'), 'automatic', settings.amount_nanos, 'usd', m.id, now()
      from saved_cards m where m.account_id = account and m.removed_at is null
      returning *;
  end if;
  perform mark_automatic_top_up(account);
end $$;
