-- Generations of video and audio: submitted by a client, advanced by the worker, each with a hold of its own until it
-- ends. The words: domain/tasks/README.md.

create table tasks (
  account_id uuid not null,
  id text not null,
  -- The request that submitted it; the log's row of that request is written when the task ends.
  request_id text not null,
  api_key_id uuid not null,
  kind text not null check (kind in ('video', 'speech', 'audio')),
  model text not null,
  vendor text not null,
  -- As the model's schema allows them, defaults filled in.
  parameters json not null,
  status text not null default 'queued'
    check (status in ('queued', 'submitting', 'running', 'storing', 'success', 'failed', 'cancelled')),
  -- What it costs on the platform's credential, and why.
  price_nanos bigint not null,
  price_terms text,
  -- Null where nothing is held: a credential of the account's own pays, or it is free.
  hold_id uuid,
  -- What was charged; null until it has ended.
  cost_nanos bigint,
  -- Only credentials of the account's own may be used.
  own_only boolean not null default false,
  -- The credential of the account's own with which it was submitted; null is the platform's.
  byok_id uuid,
  -- Percent, where the vendor tells.
  progress smallint,
  -- What the vendor knows it by.
  upstream json,
  -- What the vendor made, while it waits to be stored.
  files json,
  -- What was stored: addresses, types and sizes.
  results json,
  error_code text,
  error_message text,
  callback_url text,
  end_user text,
  client_address text,
  cancel_requested_at timestamptz,
  -- Why it was not cancelled as requested: the vendor cannot, or it was too late.
  cancel_refused_at timestamptz,
  -- Calls to the vendor that failed, one after the other.
  failures integer not null default 0,
  created_at timestamptz not null,
  -- When the vendor had taken it.
  submitted_at timestamptz,
  updated_at timestamptz not null default now(),
  -- It fails where it has not ended by then.
  ends_at timestamptz not null,
  -- When it is to be advanced next; null once it has ended.
  due_at timestamptz,
  finished_at timestamptz,
  primary key (account_id, id)
) with (fillfactor = 70);
create index tasks_open on tasks (account_id) where finished_at is null;
create index tasks_due on tasks (due_at) where finished_at is null;
create index tasks_finished on tasks (finished_at) where finished_at is not null;
