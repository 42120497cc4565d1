-- Ends an automatic top-up whose charge Stripe has refused or cancelled, once: an answer and an event can both report it.
-- `intent` is that charge, or null if none was created; the top-up stays in progress if it has another charge. `policy` is
-- that of end-automatic-top-up.sql. Returns whether it ended now.
create function fail_automatic_top_up(account uuid, payment text, intent text, why text, policy text) returns boolean
language plpgsql as $$
begin
  update payments p set status = 'failed', failure = why
  where p.account_id = account and p.id = payment and p.kind = 'automatic' and p.status = 'pending'
    and p.payment_intent_id is not distinct from intent;
  if not found then return false; end if;
  perform end_automatic_top_up(account, payment, policy);
  return true;
end $$;
