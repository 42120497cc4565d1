-- Stores with the balance the amount below which an automatic top-up starts, or null if none can start now: it is off or
-- waits for a retry, one is in progress, no card is saved, or the account is suspended. If the available amount is below
-- it already, the trigger requests a top-up at once. The caller changes one of these.
create function mark_automatic_top_up(account uuid) returns void language sql as $$
  update balances b set tops_up_below_nanos = (
    select a.threshold_nanos from automatic_top_ups a
    where a.account_id = account and a.is_on and a.retry_at is null
      and exists (select from saved_cards m where m.account_id = account and m.removed_at is null)
      and not exists (
        select from payments p where p.account_id = account and p.kind = 'automatic' and p.status = 'pending')
      and not exists (select from accounts c where c.id = account and account_refusal(c.suspended_at, c.closed_at) is not null)
  )
  where b.account_id = account
$$;
