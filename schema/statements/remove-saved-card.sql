-- Removes a saved card of an account, and adds the job that detaches it at Stripe. The caller has locked the balance.
create function remove_saved_card(account uuid, method text) returns void language plpgsql as $$
begin
  update saved_cards m set removed_at = now() where m.account_id = account and m.id = method;
  perform detach_card(method);
end $$;
