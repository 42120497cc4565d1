-- Deletes processes whose heartbeat is older than `dead_after`, so that their holds count as free. A heartbeat in the
-- future, written while the server's clock was wrong, counts as a heartbeat of now. Rows that a flush has locked are
-- skipped: callers have locked accounts, for which that flush may wait.
create function forget_processes(dead_after interval) returns void language plpgsql as $$
begin
  update processes set heartbeat_at = clock_timestamp() where id in (
    select p.id from processes p where p.heartbeat_at > clock_timestamp() + interval '1 minute'
    order by p.id for update skip locked);
  delete from processes where id in (
    select p.id from processes p where p.heartbeat_at < clock_timestamp() - dead_after
    order by p.id for update skip locked);
end $$;
