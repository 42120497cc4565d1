-- Locks an account and posts what its holds have collected.
create function post_account(account uuid) returns void language plpgsql set enable_seqscan = off as $$
begin
  perform 1 from balances b where b.account_id = account for no key update;
  perform post_accounts(array[account]);
end $$;
