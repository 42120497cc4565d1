-- What is sent to addresses of accounts when something has happened: callbacks of tasks, and webhooks of the account
-- itself. How it is sent: domain/callbacks/README.md.

-- What deliveries are signed with. One secret of an account has no end; one that was replaced signs beside it until
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

create table deliveries (
  account_id uuid not null,
  -- Also the `webhook-id` of every try.
  id text not null,
  -- What happened, e.g. task.completed.
  event text not null,
  task_id text,
  url text not null,
  -- Host and port of the url: deliveries to one receiver wait for each other.
  receiver text not null,
  -- Null for a task that was not sent yet: its body is made with the first try.
  body text,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'gone')),
  tries integer not null default 0,
  -- Of them, since the schedule began.
  step integer not null default 0,
  -- When the next try is due. While one runs: when it counts as lost.
  due_at timestamptz,
  is_sending boolean not null default false,
  -- Whoever runs the try, or ran the last one: alive while it keeps an advisory lock of that name.
  sender text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (account_id, id)
);
create index deliveries_due on deliveries (account_id, receiver, due_at) where state = 'pending';
create index deliveries_in_flight on deliveries (account_id, receiver, due_at) where is_sending;
create unique index deliveries_of_task on deliveries (account_id, task_id) where task_id is not null;
create index deliveries_by_age on deliveries (created_at);

create table delivery_tries (
  account_id uuid not null,
  delivery_id text not null,
  number integer not null,
  started_at timestamptz not null,
  -- Null while the try runs, and for ever where its process died.
  duration_ms integer,
  status integer,
  error text,
  -- The first bytes of what the receiver answered.
  answer text,
  primary key (account_id, delivery_id, number),
  foreign key (account_id, delivery_id) references deliveries (account_id, id) on delete cascade
);
