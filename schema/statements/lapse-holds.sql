-- Forgets processes whose heartbeat is older than `dead_after`, and gives back the holds of processes that are not known.
-- An account that others have locked is left for the next time. Returns how many holds lapsed.
create function lapse_holds(dead_after interval) returns integer language plpgsql as $$
begin
  perform forget_processes(dead_after);
  return release_holds(array(
    select b.account_id from balances b
    where b.account_id in (
      select h.account_id from holds h
      where h.process_id is not null and not exists (select from processes p where p.id = h.process_id))
    order by b.account_id for no key update skip locked));
end $$;
