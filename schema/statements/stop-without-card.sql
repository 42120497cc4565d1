-- Switches automatic top-ups off if the account has no saved card any more. The caller has locked the balance.
create function stop_without_card(account uuid) returns void language plpgsql as $$
begin
  update automatic_top_ups a set is_on = false, retry_at = null, stop_reason = 'card_removed'
  where a.account_id = account and a.is_on
    and not exists (select from saved_cards m where m.account_id = account and m.removed_at is null);
  perform mark_automatic_top_up(account);
end $$;
