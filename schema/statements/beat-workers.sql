-- Records that the workers `own` are alive and that `retired` have ended, declares other workers dead, and releases the
-- jobs of dead workers. `lost` lists the workers among `own` that another worker has declared dead. `freed` is the
-- number of workers whose jobs were released.
--
-- A worker is dead after 3 s without a heartbeat if its session, which holds an advisory lock of its name, has ended;
-- and after 15 s in any case. The caller's own session must be 3 s old: after a failure of the server the other workers
-- need that time to connect again. A heartbeat in the future was written while the clock of the server was ahead.
create function beat_workers(own text[], retired text[], out lost text[], out freed integer) language plpgsql as $$
declare
  at timestamptz := clock_timestamp();
  dead text[];
begin
  update workers set is_dead = true where id = any (retired);
  perform pg_advisory_unlock_all() where cardinality(retired) > 0;
  perform pg_try_advisory_lock(hashtextextended(id, 0)) from unnest(own) id
  where not exists (
    select from pg_locks l
    where l.locktype = 'advisory' and l.pid = pg_backend_pid() and l.objsubid = 1
      and (l.classid::bigint << 32) | l.objid::bigint = hashtextextended(id, 0));

  with beaten as (
    insert into workers as w (id) select unnest(own)
    on conflict (id) do update set heartbeat_at = at where not w.is_dead
    returning id
  )
  select coalesce(array_agg(id), '{}') into lost from unnest(own) id where id not in (select b.id from beaten b);

  freed := 0;
  if (select backend_start from pg_stat_activity where pid = pg_backend_pid()) > at - interval '3 seconds' then return; end if;

  with silent as (
    select w.id from workers w
    where not w.is_dead and w.id <> all (own)
      and w.heartbeat_at not between at - interval '3 seconds' and at + interval '3 seconds'
      and (w.heartbeat_at not between at - interval '15 seconds' and at + interval '15 seconds'
        or pg_try_advisory_xact_lock(hashtextextended(w.id, 0)))
    for update skip locked
  )
  update workers w set is_dead = true from silent where w.id = silent.id;
  delete from workers w where w.is_dead and w.heartbeat_at < at - interval '1 day';

  select array_agg(owner) into dead from (
    select distinct j.locked_by as owner from graphile_worker.jobs j
    where j.locked_at < at - interval '2 seconds' and j.locked_by <> all (own)
  ) owners
  where worker_is_dead(owner);
  if dead is null then return; end if;
  perform graphile_worker.force_unlock_workers(dead);
  freed := cardinality(dead);
end $$;
