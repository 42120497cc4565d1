-- Applies an event about a Checkout session, or about the charge of an automatic top-up, once: the event's ID, the
-- transaction, the credits and the payment are written in one transaction. `change` is `paid`, `unpaid` (the payment is
-- being processed), `failed` or `expired`. A paid payment is credited regardless of earlier events, because the money was
-- received. The credits are the paid amount without tax; without `its_tax`, the stored tax counts. Nothing is credited if
-- session, amount or currency differ from the payment. fail-automatic-top-up.sql describes `failure` and `policy`.
-- Returns the outcome (domain/billing/receive-event.ts).
create function change_payment(
  event text, event_type text, account uuid, payment text, session text, intent text, change text, paid bigint,
  its_tax bigint, paid_currency text, failure text, policy text
) returns text language plpgsql as $$
declare
  known payments;
  came_to text;
  kept payment_reversals;
  tax bigint;
begin
  insert into payment_events (id, type, outcome, account_id, payment_id)
  values (event, event_type, 'received', account, payment) on conflict do nothing;
  if not found then return 'duplicate'; end if;

  select * into known from payments p where p.account_id = account and p.id = payment for update;
  tax := coalesce(its_tax, known.tax_nanos, 0);
  came_to := case
    when known.id is null then 'unknown_payment'
    when known.session_id <> session then 'other_session'
    when known.status = 'completed' and change = 'paid' and known.payment_intent_id <> intent then 'other_charge'
    when known.status = 'completed' then 'known'
    when change = 'unpaid' then 'awaited'
    when change <> 'paid' then change
    when paid_currency is distinct from known.currency then 'other_currency'
    when paid - tax is distinct from known.amount_nanos then 'other_amount'
    else 'credited'
  end;
  if came_to = 'failed' and known.kind = 'automatic' then
    if not fail_automatic_top_up(account, payment, intent, failure, policy) then came_to := 'known'; end if;
  elsif came_to in ('failed', 'expired') then
    update payments p set status = came_to where p.account_id = account and p.id = payment;
  elsif came_to = 'credited' then
    perform pg_advisory_xact_lock(hashtextextended('payment:' || intent, 0));
    perform change_credits(account, 'payment:' || payment, known.amount_nanos, 'stripe', null, false);
    update payments p set status = 'completed', completed_at = clock_timestamp(), session_id = session,
      payment_intent_id = intent, tax_nanos = tax
    where p.account_id = account and p.id = payment;
    -- Refunds and disputes whose events arrived before the payment's.
    for kept in select * from payment_reversals r where r.payment_intent_id = intent and r.state = 'taken' order by r.id
    loop
      perform take_reversal(account, kept);
    end loop;
    if known.kind = 'automatic' then
      perform end_automatic_top_up(account, payment, 'paid');
      perform graphile_worker.add_job('invoice-top-up', json_build_object('accountId', account, 'paymentId', payment),
        job_key := 'invoice-top-up:' || payment);
    elsif known.resumes_automatic then
      update automatic_top_ups a set is_on = true, declines = 0, retry_at = null, stop_reason = null
      where a.account_id = account and a.stop_reason = 'authentication_required';
      perform mark_automatic_top_up(account);
    end if;
  end if;
  update payment_events e set outcome = came_to where e.id = event;
  return came_to;
end $$;
