-- Applies an event about a refund or dispute, once: a negative transaction, whatever is left of the credits; they may
-- fall below zero. `change` is `taken`, or `returned` where it came to nothing: a positive transaction then. Where that
-- is told first nothing is taken; and what is told before its payment is kept for it. Answers what came of it
-- (domain/billing/receive-event.ts), and whose payment it is of.
create function reverse_payment(
  event text, event_type text, intent text, reversal text, method text, change text, amount bigint, its_currency text
) returns table (outcome text, account uuid, payment text) language plpgsql as $$
declare
  reversal_source text := method || ':' || reversal;
  currency text;
  taken bigint;
  is_changed boolean;
begin
  insert into payment_events (id, type, outcome) values (event, event_type, 'received') on conflict do nothing;
  if not found then
    outcome := 'duplicate';
    return next;
    return;
  end if;

  -- Events of one payment wait for each other, so that a refund is seen by its payment or sees it.
  perform pg_advisory_xact_lock(hashtextextended('payment:' || intent, 0));
  select p.account_id, p.id, p.currency into account, payment, currency from payments p where p.payment_intent_id = intent;
  if its_currency <> coalesce(currency, 'usd') then
    outcome := 'other_currency';
  else
    insert into payment_reversals as r (payment_intent_id, id, kind, amount_nanos, state)
    values (intent, reversal, method, amount, change)
    on conflict (payment_intent_id, id) do update set state = 'returned'
      where r.state = 'taken' and excluded.state = 'returned';
    is_changed := found;
    outcome := case when account is null then 'kept' when is_changed then change else 'known' end;
  end if;

  if outcome = 'taken' then
    perform change_credits(account, reversal_source, -amount, method, reversal, false);
  elsif outcome = 'returned' then
    select -t.credits_nanos into taken from transactions t
    where t.account_id = account and t.source = reversal_source and t.payment_method <> 'usage';
    if found then perform change_credits(account, reversal_source || ':returned', taken, method, reversal, false); end if;
  end if;
  update payment_events e set outcome = reverse_payment.outcome, account_id = account, payment_id = payment
  where e.id = event;
  return next;
end $$;
