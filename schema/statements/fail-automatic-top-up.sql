-- Ends an automatic top-up that Stripe has refused, once: an answer and an event can both report it. `policy` is that of
-- end-automatic-top-up.sql. Returns whether it ended now.
create function fail_automatic_top_up(account uuid, payment text, why text, policy text) returns boolean
language plpgsql as $$
begin
  update payments p set status = 'failed', failure = why
  where p.account_id = account and p.id = payment and p.kind = 'automatic' and p.status = 'pending';
  if not found then return false; end if;
  perform end_automatic_top_up(account, payment, policy);
  return true;
end $$;
