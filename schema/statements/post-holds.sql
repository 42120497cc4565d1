-- Posts the accounts of a process's unposted holds, in the order of their IDs: those after `after` to which the next `most`
-- holds belong. Accounts of which other transactions have locked the balance or a budget are skipped. Returns the posted
-- accounts, and the last account that was considered, which is null if none was left.
create function post_holds(process uuid, after uuid, most integer) returns table (accounts uuid[], last_account uuid)
language plpgsql set enable_seqscan = off as $$
declare
  unposted hold_target[];
  busy uuid[];
begin
  accounts := array(
    select h.account_id from holds h
    where h.process_id = process and h.unposted_day is not null and h.account_id > after
    order by h.account_id limit most);
  last_account := accounts[cardinality(accounts)];
  if last_account is not null then
    -- If the server dies before the commit is written, the holds still have their unposted amounts. No one waits for a
    -- write while they are locked.
    perform set_config('synchronous_commit', 'off', true);
    unposted := array(
      select (h.account_id, h.id, 0, 0)::hold_target from holds h
      where h.account_id = any (accounts) and h.unposted_day is not null);
    busy := busy_accounts(accounts, '{}', unposted, '{}');
    accounts := array(select distinct a from unnest(accounts) a where a <> all (busy));
    perform post_accounts(accounts);
  end if;
  return next;
end $$;
