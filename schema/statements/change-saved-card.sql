-- Applies an event about a card of a Stripe customer, once. `change` is `saved` or `removed`; a removed card stays
-- removed. An account keeps the card that was saved last, and a job detaches the others at Stripe. Returns the outcome
-- (domain/billing/receive-event.ts) and the account.
create function change_saved_card(
  event text, event_type text, customer text, method text, change text, its_brand text, its_last4 text, month integer,
  year integer, saved timestamptz, at timestamptz
) returns table (outcome text, account uuid) language plpgsql as $$
declare
  known saved_cards;
  latest text;
begin
  insert into payment_events (id, type, outcome) values (event, event_type, 'received') on conflict do nothing;
  if not found then
    outcome := 'duplicate';
    return next;
    return;
  end if;
  select c.account_id into account from stripe_customers c where c.customer_id = customer;
  if account is null then
    outcome := 'ignored';
  else
    perform lock_balance(account);
    select * into known from saved_cards m where m.account_id = account and m.id = method;
    outcome := case
      when known.removed_at is not null then 'known'
      when change = 'removed' then 'card_removed'
      when known.event_at >= at then 'known'
      else 'card_saved'
    end;
  end if;

  if outcome = 'card_removed' then
    insert into saved_cards as m (account_id, id, brand, last4, expiry_month, expiry_year, event_at, saved_at, removed_at)
    values (account, method, coalesce(its_brand, ''), coalesce(its_last4, ''), coalesce(month, 0), coalesce(year, 0), at, saved, now())
    on conflict (account_id, id) do update set removed_at = now(), event_at = at;
    if known.id is not null then perform stop_without_card(account); end if;
  elsif outcome = 'card_saved' then
    select m.id into latest from saved_cards m
    where m.account_id = account and m.removed_at is null and m.id <> method and (m.saved_at, m.id) > (saved, method);
    if latest is null then
      perform remove_saved_card(account, m.id) from saved_cards m
      where m.account_id = account and m.removed_at is null and m.id <> method;
    end if;
    insert into saved_cards as m (account_id, id, brand, last4, expiry_month, expiry_year, event_at, saved_at, removed_at)
    values (account, method, its_brand, its_last4, month, year, at, saved, case when latest is not null then now() end)
    on conflict (account_id, id) do update set brand = its_brand, last4 = its_last4, expiry_month = month,
      expiry_year = year, event_at = at;
    if latest is not null then
      outcome := 'known';
      perform detach_card(method);
    elsif known.id is null then
      update automatic_top_ups a set declines = 0, retry_at = null where a.account_id = account and a.is_on;
    end if;
    perform mark_automatic_top_up(account);
  end if;
  update payment_events e set outcome = change_saved_card.outcome, account_id = account where e.id = event;
  return next;
end $$;
