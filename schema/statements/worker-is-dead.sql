-- Returns whether the owner of a job, a step or an attempt is dead. An owner without a row runs an earlier version,
-- which only holds an advisory lock of its name.
create function worker_is_dead(worker_id text) returns boolean language sql as $$
  select coalesce(
    (select w.is_dead from workers w where w.id = worker_id),
    pg_try_advisory_xact_lock(hashtextextended(worker_id, 0)))
$$;
