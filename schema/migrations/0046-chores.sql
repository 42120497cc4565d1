-- Work that repeats, such as retention: one row for each chore. Workers look for due rows by a timer of their own and add
-- missing rows, so no chore depends on a job (platform/chores/run-chores.ts).
create table chores (
  name text primary key,
  -- The worker that does the chore, or did it last.
  worker uuid not null,
  -- When the next run is due. While a run is in progress: when its lease ends.
  due_at timestamptz not null
);
