-- Workers that own jobs, steps of tasks and tries of callbacks. A worker that has frozen keeps its connections, and with
-- them its locks: the heartbeat shows that it does nothing. A worker that was declared dead stays so: it goes on under
-- another id.
create table workers (
  id text primary key,
  heartbeat_at timestamptz not null default clock_timestamp(),
  is_dead boolean not null default false
);

alter table tasks
  -- The worker that takes a step of the task now; null between two steps.
  add column worker text,
  -- The number of the last step. A step changes the task only while no later step has begun.
  add column step bigint not null default 0;
create index tasks_stepping on tasks (worker) where worker is not null;
