-- Gives back the jobs of workers that died. A worker names itself `own` in the jobs that it has taken, and keeps a
-- session's advisory lock of that name for as long as it lives: whose lock can be had is dead. Jobs that were taken a
-- moment ago are left, since their worker may still be about to lock its name. Called over the connection that keeps the
-- lock of `own`, which it takes again where that connection is a new one. Returns how many workers were found dead.
create function free_jobs_of_dead_workers(own text) returns integer language plpgsql as $$
declare
  dead text[];
begin
  if not exists (select from pg_locks l where l.locktype = 'advisory' and l.pid = pg_backend_pid()) then
    perform pg_advisory_lock(hashtextextended(own, 0));
  end if;

  select array_agg(owner) into dead
  from (
    select distinct j.locked_by as owner from graphile_worker.jobs j
    where j.locked_at < clock_timestamp() - interval '2 seconds' and j.locked_by <> own
  ) owners
  where pg_try_advisory_xact_lock(hashtextextended(owner, 0));
  if dead is null then return 0; end if;

  perform graphile_worker.force_unlock_workers(dead);
  return cardinality(dead);
end $$;
