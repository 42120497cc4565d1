-- Generations of video, speech and audio. A client submits a task, the worker advances it, and its own hold lasts until
-- it ends. The terms: domain/tasks/README.md.

create table tasks (
  account_id uuid not null,
  id text not null,
  -- The request that submitted the task. Its log row is written when the task ends.
  request_id text not null,
  api_key_id uuid not null,
  kind text not null check (kind in ('video', 'speech', 'audio')),
  model text not null,
  vendor text not null,
  -- Valid under the model's schema, with defaults filled in.
  parameters json not null,
  status text not null default 'queued'
    check (status in ('queued', 'submitting', 'running', 'storing', 'success', 'failed', 'cancelled')),
  -- The price on the platform's credential, and its terms.
  price_nanos bigint not null,
  price_terms text,
  -- The budgets that count it; null if there are none.
  budget_ids uuid[],
  -- Null if nothing is held: the account's own credential pays, or the task is free.
  hold_id uuid,
  -- The amount charged; null until the task has ended.
  cost_nanos bigint,
  -- Whether only the account's own credentials may be used.
  own_only boolean not null default false,
  -- The account's own credential that submitted the task; null for the platform's.
  byok_id uuid,
  -- the name of the platform's credential in use; null for an own one, and before a submit
  credential_name text,
  -- Percent, if the vendor reports it.
  progress smallint,
  -- The vendor's identifiers of the task.
  upstream json,
  -- The vendor's files, until they are stored.
  files json,
  -- The stored files: URLs, content types and sizes.
  results json,
  error_code text,
  error_message text,
  callback_url text,
  end_user text,
  metadata text,
  client_address text,
  cancel_requested_at timestamptz,
  -- When a cancellation was refused, because the vendor cannot cancel or the task had ended.
  cancel_refused_at timestamptz,
  -- Failed calls to the vendor in a row.
  failures integer not null default 0,
  created_at timestamptz not null,
  -- When the vendor accepted the task.
  submitted_at timestamptz,
  updated_at timestamptz not null default now(),
  -- The task fails if it has not ended by this time.
  ends_at timestamptz not null,
  -- When the next step is due; null after the task has ended.
  due_at timestamptz,
  finished_at timestamptz,
  -- Whether a submit to the vendor has begun and its outcome is unknown. If the caller has died, the vendor may have the
  -- task.
  is_sending boolean not null default false,
  -- The worker that runs a step now; null between two steps.
  worker text,
  -- The number of the last step. A step changes the task only while no later step has begun.
  step bigint not null default 0,
  primary key (account_id, id)
) with (fillfactor = 70);
create index tasks_open on tasks (account_id) where finished_at is null;
create index tasks_due on tasks (due_at) where finished_at is null;
create index tasks_finished on tasks (finished_at) where finished_at is not null;
create index tasks_stepping on tasks (worker) where worker is not null;
-- Subscribers to all tasks of an account read its latest changes every second (domain/tasks/watch-account.ts).
create index tasks_changed on tasks (account_id, updated_at);
-- A list of tasks by kind, status, key or model reads about as many rows as it returns.
create index tasks_listed on tasks (account_id, kind, status, id);
create index tasks_of_key on tasks (account_id, api_key_id, kind, status, id);
create index tasks_of_model on tasks (account_id, model, kind, status, id);
