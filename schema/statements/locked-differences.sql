-- Does the same as ledger_differences for one account, which it locks. On Citus, ledger_differences reads several nodes without
-- a common snapshot, so it also reports differences of accounts that are charged at that moment.
create function locked_differences(account uuid)
returns table (account_id uuid, fault text, subject text, expected_nanos bigint, found_nanos bigint)
language plpgsql as $$
begin
  perform lock_books(account);
  return query select * from ledger_differences(array[account]);
end $$;
