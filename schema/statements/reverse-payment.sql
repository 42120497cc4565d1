-- Applies an event about a refund or dispute, once. `change` is `taken`, which adds a negative transaction even if the
-- credits fall below zero, or `returned`, which adds a positive transaction after the refund or dispute failed. If
-- events arrive out of order, the newest one decides; of two events of the same second, `returned` decides. A dispute
-- that is lost again is taken again. If nothing was taken, nothing is returned. An event that arrives before its
-- payment is stored for it. Returns the outcome (domain/billing/receive-event.ts) and the account of the payment.
create function reverse_payment(
  event text, event_type text, intent text, reversal text, method text, change text, amount bigint, its_currency text,
  event_at timestamptz default now()
) returns table (outcome text, account uuid, payment text) language plpgsql as $$
declare
  currency text;
  known payment_reversals;
  was_taken boolean;
  taken_as text;
  taken bigint;
begin
  insert into payment_events (id, type, outcome) values (event, event_type, 'received') on conflict do nothing;
  if not found then
    outcome := 'duplicate';
    return next;
    return;
  end if;

  -- Events of one payment wait for each other, so that a refund and its payment always see each other.
  perform pg_advisory_xact_lock(hashtextextended('payment:' || intent, 0));
  select p.account_id, p.id, p.currency into account, payment, currency from payments p
  where p.payment_intent_id = intent and p.status = 'completed';
  if its_currency <> coalesce(currency, 'usd') then
    outcome := 'other_currency';
  else
    select r.state = 'taken' into was_taken from payment_reversals r where r.payment_intent_id = intent and r.id = reversal;
    insert into payment_reversals as r (payment_intent_id, id, kind, amount_nanos, state, event_at)
    values (intent, reversal, method, amount, change, reverse_payment.event_at)
    on conflict (payment_intent_id, id) do update set state = excluded.state, event_at = excluded.event_at
      where (excluded.event_at, excluded.state = 'returned') > (r.event_at, r.state = 'returned')
    returning r.* into known;
    outcome := case
      when account is null then 'kept'
      when known.id is null or (change = 'taken') is not distinct from was_taken then 'known'
      else change
    end;
  end if;

  if outcome = 'taken' then
    perform take_reversal(account, known);
  elsif outcome = 'returned' and known.times > 0 then
    taken_as := reversal_source(method, reversal, known.times);
    select -t.credits_nanos into taken from transactions t
    where t.account_id = account and t.source = taken_as and t.payment_method <> 'usage';
    perform change_credits(account, taken_as || ':returned', taken, method, reversal, false);
  end if;
  update payment_events e set outcome = reverse_payment.outcome, account_id = account, payment_id = payment
  where e.id = event;
  return next;
end $$;
