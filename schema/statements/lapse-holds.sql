-- Deletes processes whose heartbeat is older than `dead_after`, and releases the holds of unknown processes. Accounts
-- that other transactions have locked are skipped until the next call. Returns the number of released holds.
create function lapse_holds(dead_after interval) returns integer language plpgsql set enable_seqscan = off as $$
begin
  perform forget_processes(dead_after);
  return release_holds(array(
    select b.account_id from balances b
    where b.account_id in (
      select h.account_id from holds h
      where h.process_id is not null and not exists (select from processes p where p.id = h.process_id))
    order by b.account_id for no key update skip locked));
end $$;
