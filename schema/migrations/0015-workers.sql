-- Workers, which own jobs, steps of tasks and tries of callbacks. A frozen worker keeps its connections, and with them
-- its locks; the missing heartbeat shows that it does nothing. A worker that was declared dead remains dead: if it
-- continues, it takes another ID.
create table workers (
  id text primary key,
  heartbeat_at timestamptz not null default clock_timestamp(),
  is_dead boolean not null default false
);

-- Repeating work, such as retention: one row for each chore. Workers look for due rows by their own timer and add missing
-- rows, so no chore depends on a job (platform/chores/run-chores.ts).
create table chores (
  name text primary key,
  -- The worker that does the chore, or did it last.
  worker uuid not null,
  -- When the next run is due. During a run: when its lease ends.
  due_at timestamptz not null
);
