-- Locks the balance of an account, which is created if the account has none. Changes of automatic top-ups and saved
-- cards lock it first, as charges do.
create function lock_balance(account uuid) returns void language plpgsql as $$
begin
  insert into balances (account_id) values (account) on conflict do nothing;
  perform from balances b where b.account_id = account for no key update;
end $$;
