-- Renews the leases of the chores that `worker_id` is running (`running`), and claims the due chores among `names`. A
-- chore without a row is due. A chore whose time is further ahead than a worker ever sets it is also due: the server's
-- clock was ahead when the time was written. Returns the names of the claimed chores.
create function claim_chores(names text[], every_ms integer[], running text[], worker_id uuid, lease interval)
returns setof text language sql as $$
  update chores set due_at = clock_timestamp() + lease where worker = worker_id and name = any (running);

  with given as (
    select name, greatest(lease, every * interval '1 millisecond') as furthest from unnest(names, every_ms) g (name, every)
  ), due as (
    select c.name from chores c join given g on g.name = c.name
    where c.due_at not between clock_timestamp() and clock_timestamp() + g.furthest
    for update of c skip locked
  ), claimed as (
    update chores c set worker = worker_id, due_at = clock_timestamp() + lease
    from due where c.name = due.name
    returning c.name
  ), added as (
    insert into chores (name, worker, due_at)
    select g.name, worker_id, clock_timestamp() + lease from given g
    where not exists (select from chores c where c.name = g.name)
    on conflict do nothing
    returning name
  )
  select name from claimed union all select name from added
$$;
