-- Deliveries to URLs of accounts: callbacks of tasks, and webhooks of the account (domain/callbacks/README.md).

-- The secrets that sign deliveries. An account's current secret has no end; a replaced one signs beside it until
-- `ends_at`.
create table callback_secrets (
  account_id uuid not null,
  id uuid not null,
  secret_sealed bytea not null,
  created_at timestamptz not null default now(),
  ends_at timestamptz,
  primary key (account_id, id)
);
create unique index callback_secrets_current on callback_secrets (account_id) where ends_at is null;
create index callback_secrets_ends on callback_secrets (ends_at) where ends_at is not null;

create table deliveries (
  account_id uuid not null,
  -- Also the `webhook-id` of every try.
  id text not null,
  -- For example task.completed.
  event text not null,
  task_id text,
  url text not null,
  -- Host and port of the URL. Deliveries of an account to one receiver are sent in order.
  receiver text not null,
  -- Null until the first try of a task's callback creates it.
  body text,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'gone')),
  tries integer not null default 0,
  -- Tries since the schedule began.
  step integer not null default 0,
  -- When the next try is due. While a try runs: when it counts as lost.
  due_at timestamptz,
  is_sending boolean not null default false,
  -- The worker that runs the try, or ran the last one.
  sender text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (account_id, id)
);
create index deliveries_due on deliveries (account_id, receiver, due_at) where state = 'pending';
create index deliveries_pending on deliveries (due_at) where state = 'pending';
create index deliveries_in_flight on deliveries (account_id, receiver, due_at) where is_sending;
create index deliveries_sending on deliveries (sender) where is_sending;
create index deliveries_of_account on deliveries (account_id, created_at desc, id desc);
create index deliveries_by_state on deliveries (account_id, state, created_at desc, id desc);
create index deliveries_of_alerts on deliveries (account_id, created_at desc, id desc) where task_id is null;
create unique index deliveries_of_task on deliveries (account_id, task_id) where task_id is not null;
create index deliveries_by_age on deliveries (created_at);

create table delivery_tries (
  account_id uuid not null,
  delivery_id text not null,
  number integer not null,
  started_at timestamptz not null,
  -- Null while the try runs, and for ever if its process died.
  duration_ms integer,
  status integer,
  error text,
  -- The first bytes of the receiver's response.
  answer text,
  primary key (account_id, delivery_id, number),
  foreign key (account_id, delivery_id) references deliveries (account_id, id) on delete cascade
);

-- The hosts that callbacks go to. A host that never answered 2xx may not want them, so it gets a limited number of calls
-- per hour over all accounts (schema/statements/claim-deliveries.sql).
create table receivers (
  host text primary key,
  -- When the host first answered 2xx; null if it never has.
  proven_at timestamptz,
  -- Calls since `hour_at`, while the host is not proven.
  calls integer not null default 0,
  hour_at timestamptz not null default clock_timestamp()
);
create index receivers_unproven on receivers (hour_at) where proven_at is null;
