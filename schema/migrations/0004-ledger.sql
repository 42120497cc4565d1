-- Money. All of it is integers of nano-dollars; Postgres alone knows a balance.
--
-- Invariants:  credits_nanos = Σ transactions.credits_nanos
--              held_nanos    = Σ holds.amount_nanos          (per account, and per key in key_budgets)
--              each charged request or task has exactly one transaction
--              credits_nanos - held_nanos never below zero
-- No constraint stands here that one charge could violate: it would fail the whole batch that carries it.

create table balances (
  account_id uuid primary key,
  credits_nanos bigint not null default 0,
  held_nanos bigint not null default 0
) with (fillfactor = 50);

-- The spend cap of a key, and what it has spent. `period_start` is the start of the current window.
create table key_budgets (
  account_id uuid not null,
  key_id uuid not null,
  limit_nanos bigint,
  reset_interval text not null default 'none',
  period_start timestamptz not null default now(),
  spent_nanos bigint not null default 0,
  total_spent_nanos bigint not null default 0,
  held_nanos bigint not null default 0,
  primary key (account_id, key_id)
) with (fillfactor = 50);

-- A process that keeps holds. When its heartbeat stops, its holds lapse.
create table processes (
  id uuid primary key,
  kind text not null,
  started_at timestamptz not null default now(),
  heartbeat_at timestamptz not null default now()
) with (fillfactor = 50);

-- One hold per key and process (it lapses with the process), or one per task (it lasts as long as the task).
-- `in_use_nanos` is reserved for work in progress; the rest of the amount is room kept ahead of need.
create table holds (
  account_id uuid not null,
  id uuid not null,
  key_id uuid,
  process_id uuid,
  task_id text,
  amount_nanos bigint not null,
  in_use_nanos bigint not null,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
) with (fillfactor = 50);
create index holds_process on holds (process_id) where process_id is not null;

-- What changed a balance, for ever. Ids begin with their time, so the primary key lists them in order. `source` is
-- what a row stands for: a request, a task, a payment. A usage row is unique with the log row that it is written
-- with; every index more would be paid for with each request.
create table transactions (
  account_id uuid not null,
  id text not null,
  source text not null,
  credits_nanos bigint not null,
  payment_method text not null,
  status text not null,
  api_key_id uuid,
  request_id text,
  task_id text,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);
create unique index transactions_source on transactions (account_id, source) where payment_method <> 'usage';

-- The start of the window that `at` lies in (UTC; weeks begin on Monday); without an interval it never ends.
create function window_start(reset_interval text, since timestamptz, at timestamptz) returns timestamptz
language sql immutable parallel safe as $$
  select case reset_interval
    when 'daily' then greatest(since, date_trunc('day', at, 'UTC'))
    when 'weekly' then greatest(since, date_trunc('week', at, 'UTC'))
    when 'monthly' then greatest(since, date_trunc('month', at, 'UTC'))
    else since
  end
$$;
