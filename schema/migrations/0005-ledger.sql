-- Money, in integers of nano-dollars. Only Postgres knows a balance.
--
-- Invariants:  credits_nanos = Σ transactions.credits_nanos + Σ holds.unposted_spent_nanos
--              held_nanos    = Σ (holds.amount_nanos + holds.unposted_held_nanos)
--                              (per account, per key in key_budgets, and per budget)
--              each charged request or task has exactly one transaction
--              credits_nanos - held_nanos never below zero
-- No constraint checks them: a single charge that violated one would fail the whole batch that carries it.

create table balances (
  account_id uuid primary key,
  credits_nanos bigint not null default 0,
  held_nanos bigint not null default 0,
  -- Top-ups and grants without trial credits, less refunds and disputes. An account above zero is a paying account.
  paid_nanos bigint not null default 0,
  -- A charge that moves the credits below or above these has the balance alerts checked; null if there are none: the
  -- highest threshold of the armed alerts, and the lowest of the fired ones.
  fires_below_nanos bigint,
  arms_from_nanos bigint,
  -- An automatic top-up starts when credits minus held fall below this amount; null if none can start now.
  tops_up_below_nanos bigint
) with (fillfactor = 50);

-- The spend cap of a key, and what it has spent today, this week and this month (UTC; weeks begin on Monday). The sums
-- apply to the day, week and month of `counted_at`; the reset interval selects the one that counts against the cap.
create table key_budgets (
  account_id uuid not null,
  key_id uuid not null,
  limit_nanos bigint,
  reset_interval text not null default 'none',
  total_spent_nanos bigint not null default 0,
  held_nanos bigint not null default 0,
  counted_at timestamptz not null default now(),
  day_spent_nanos bigint not null default 0,
  week_spent_nanos bigint not null default 0,
  month_spent_nanos bigint not null default 0,
  -- The `total_spent_nanos` from which a charge has the budget alert checked; null without a cap.
  check_from_nanos bigint,
  -- The percentage of which the account was last notified, in the period that began at `notified_period`.
  notified_percent smallint,
  notified_period timestamptz,
  primary key (account_id, key_id)
) with (fillfactor = 50);

-- A limit on what the requests of an account, of a member's or one API key, with one tag, or of one end user spend; and
-- what they have spent and hold, counted like the spend of a key. `value` is the ID of the member (the user who created
-- the keys) or of the key, the value of the tag, or the end user. A tag is a pair of the metadata of a request, with
-- `key`. All others have an empty `key`, and an account has an empty `value`.
create table budgets (
  account_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('account', 'member', 'api_key', 'tag', 'end_user')),
  key text not null,
  value text not null,
  -- Whether a request that exceeds the limit is refused, or the account is only notified.
  action text not null check (action in ('refuse', 'warn')),
  limit_nanos bigint not null,
  reset_interval text not null,
  total_spent_nanos bigint not null default 0,
  held_nanos bigint not null default 0,
  counted_at timestamptz not null default now(),
  day_spent_nanos bigint not null default 0,
  week_spent_nanos bigint not null default 0,
  month_spent_nanos bigint not null default 0,
  -- The same as for the alert of a key's cap.
  check_from_nanos bigint,
  notified_percent smallint,
  notified_period timestamptz,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
) with (fillfactor = 50);
create unique index budgets_subject on budgets (account_id, kind, key, value);

-- Processes that keep holds. When the heartbeat of a process stops, its holds lapse.
create table processes (
  id uuid primary key,
  kind text not null,
  started_at timestamptz not null default now(),
  heartbeat_at timestamptz not null default now(),
  -- The number of the last flush. A flush that arrives late, after it was repeated or followed by others, has no effect.
  flush bigint not null default 0
) with (fillfactor = 50);

-- One hold per key, set of budgets and process, which lapses with the process, or one per task, which lasts as long as the task.
-- `in_use_nanos` is reserved for work in progress; the rest of the amount is headroom.
--
-- A hold collects its charges: batches add them to the `unposted` columns, and post_accounts adds these to the balance, the
-- key, the budgets and the usage counters. Until then, the whole amount still counts in `held` there, so that no less is
-- available than they state.
create table holds (
  account_id uuid not null,
  id uuid not null,
  key_id uuid,
  process_id uuid,
  task_id text,
  budget_ids uuid[], -- the budgets that count its charges; null if there are none
  amount_nanos bigint not null,
  in_use_nanos bigint not null,
  created_at timestamptz not null default now(),
  granted_at timestamptz, -- the last growth: a charge counts in this period of the cap, even if it arrived earlier
  unposted_day date, -- the day (UTC) of the unposted amounts; null if everything is posted
  unposted_spent_nanos bigint not null default 0,
  -- The decrease of the amount: the unposted charges, and headroom that was released.
  unposted_held_nanos bigint not null default 0,
  -- The unposted usage: requests of one model, without end user and metadata.
  unposted_model text,
  unposted_requests bigint not null default 0,
  unposted_failed_requests bigint not null default 0,
  unposted_prompt_tokens bigint not null default 0,
  unposted_cached_tokens bigint not null default 0,
  unposted_cache_creation_tokens bigint not null default 0,
  unposted_completion_tokens bigint not null default 0,
  unposted_reasoning_tokens bigint not null default 0,
  unposted_cost_nanos bigint not null default 0,
  primary key (account_id, id)
) with (fillfactor = 50);
create index holds_process on holds (process_id) where process_id is not null;

-- Every change of a balance, kept for ever. IDs begin with their time, so the primary key lists them in order. `source`
-- is the ID of the request, task or payment. A usage row is unique together with its log row, because both are written
-- by one statement; a further index would cost time in every request.
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
  budget_ids uuid[], -- the budgets that count it; null if there are none
  reason text, -- the operator's reason for a change by hand; null for charges and payments
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);
create unique index transactions_source on transactions (account_id, source) where payment_method <> 'usage';
create index transactions_not_usage on transactions (account_id, id) where payment_method <> 'usage';
create index transactions_of_budgets on transactions (account_id, request_id) where budget_ids is not null;

-- The charge of each request minus its refund; null if the request has several charges.
create view charged_requests as
select account_id, request_id, case
  when sum(credits_nanos) <= 0
    and count(*) filter (where payment_method = 'usage') - count(*) filter (where payment_method = 'refund')
      = case when sum(credits_nanos) < 0 then 1 else 0 end
  then -sum(credits_nanos)::bigint
end as cost_nanos
from transactions where request_id is not null group by account_id, request_id;

-- Always empty. Statements on it make Citus commit in two phases (commit_in_two_phases).
create table two_phase_commits (id integer primary key);

-- The start of the window that contains `at` (UTC; weeks begin on Monday). Without an interval the window never ends.
create function window_start(reset_interval text, since timestamptz, at timestamptz) returns timestamptz
language sql immutable parallel safe as $$
  select case reset_interval
    when 'daily' then greatest(since, date_trunc('day', at, 'UTC'))
    when 'weekly' then greatest(since, date_trunc('week', at, 'UTC'))
    when 'monthly' then greatest(since, date_trunc('month', at, 'UTC'))
    else since
  end
$$;

-- Returns the amount that a key has spent since the time `since`, when a day, week or month began: its counter, if the key
-- was counted since then. Counters from more than one hour after `at` were counted while the server's clock was wrong, and
-- are ignored.
create function counted_since(since timestamptz, counter bigint, counted_at timestamptz, at timestamptz)
returns bigint language sql stable parallel safe as $$
  select case when counted_at between since and at + interval '1 hour' then counter else 0 end
$$;

-- The days (UTC) on which the current day, week and month began.
create view current_periods as
select date_trunc('day', t.utc) as day, date_trunc('week', t.utc) as week, date_trunc('month', t.utc) as month
from (select now() at time zone 'UTC' as utc) t;

-- Balances with the unposted charges of their holds.
create view current_balances as
select b.account_id, b.credits_nanos - u.spent as credits_nanos, b.held_nanos - u.held as held_nanos, b.paid_nanos
from balances b cross join lateral (
  select coalesce(sum(h.unposted_spent_nanos), 0)::bigint as spent, coalesce(sum(h.unposted_held_nanos), 0)::bigint as held
  from holds h where h.account_id = b.account_id
) u;

-- Keys with the unposted charges of their holds. The day, week and month are the current ones.
create view current_key_budgets as
select k.account_id, k.key_id, k.limit_nanos, k.reset_interval,
  k.held_nanos - u.held as held_nanos, k.total_spent_nanos + u.spent as total_spent_nanos, now() as counted_at,
  counted_since(period.day at time zone 'UTC', k.day_spent_nanos, k.counted_at, now()) + u.today as day_spent_nanos,
  counted_since(period.week at time zone 'UTC', k.week_spent_nanos, k.counted_at, now()) + u.this_week
    as week_spent_nanos,
  counted_since(period.month at time zone 'UTC', k.month_spent_nanos, k.counted_at, now()) + u.this_month
    as month_spent_nanos
from key_budgets k cross join current_periods period cross join lateral (
  select coalesce(sum(h.unposted_spent_nanos), 0)::bigint as spent, coalesce(sum(h.unposted_held_nanos), 0)::bigint as held,
    coalesce(sum(h.unposted_spent_nanos) filter (where h.unposted_day >= period.day), 0)::bigint as today,
    coalesce(sum(h.unposted_spent_nanos) filter (where h.unposted_day >= period.week), 0)::bigint as this_week,
    coalesce(sum(h.unposted_spent_nanos) filter (where h.unposted_day >= period.month), 0)::bigint as this_month
  from holds h where h.account_id = k.account_id and h.key_id = k.key_id
) u;

-- The same for budgets.
create view current_budgets as
select b.account_id, b.id, b.kind, b.key, b.value, b.action, b.limit_nanos, b.reset_interval, b.created_at,
  b.held_nanos - u.held as held_nanos, b.total_spent_nanos + u.spent as total_spent_nanos, now() as counted_at,
  counted_since(period.day at time zone 'UTC', b.day_spent_nanos, b.counted_at, now()) + u.today as day_spent_nanos,
  counted_since(period.week at time zone 'UTC', b.week_spent_nanos, b.counted_at, now()) + u.this_week
    as week_spent_nanos,
  counted_since(period.month at time zone 'UTC', b.month_spent_nanos, b.counted_at, now()) + u.this_month
    as month_spent_nanos
from budgets b cross join current_periods period cross join lateral (
  select coalesce(sum(h.unposted_spent_nanos), 0)::bigint as spent, coalesce(sum(h.unposted_held_nanos), 0)::bigint as held,
    coalesce(sum(h.unposted_spent_nanos) filter (where h.unposted_day >= period.day), 0)::bigint as today,
    coalesce(sum(h.unposted_spent_nanos) filter (where h.unposted_day >= period.week), 0)::bigint as this_week,
    coalesce(sum(h.unposted_spent_nanos) filter (where h.unposted_day >= period.month), 0)::bigint as this_month
  from holds h where h.account_id = b.account_id and b.id = any (h.budget_ids)
) u;

-- Rows that a batch of the commit queue carries, in arrays of these types: Postgres parses them at a quarter of the cost
-- of JSON.

-- A request to charge and log. `hold_id` is the hold that pays; null if nothing is charged. `budget_ids` are the budgets
-- that count it; null if there are none.
create type charge as (
  account_id uuid, hold_id uuid, transaction_id text, created_at timestamptz, id text, api_key_id uuid, route text,
  model text, answered_by text, vendor text, byok_id uuid, streamed boolean, status integer, error_code text,
  prompt_tokens bigint, cached_tokens bigint, cache_creation_tokens bigint, completion_tokens bigint,
  reasoning_tokens bigint, usage_estimated boolean, cost_nanos bigint, cost_terms text, end_user text,
  client_address text, upstream_request_id text, first_byte_ms integer, duration_ms integer, attempts text,
  metadata text, budget_ids uuid[]
);

-- The amount of a hold after the batch.
create type hold_target as (account_id uuid, hold_id uuid, amount bigint, in_use bigint);

-- A growth that a hold asks for. If it cannot be granted whole, at least `minimum` is needed.
create type hold_ask as (
  account_id uuid, hold_id uuid, key_id uuid, need bigint, ahead bigint, demand bigint, minimum bigint,
  budget_ids uuid[]
);

-- A hold's row before the batch (`before`), and after it once `cost` is charged (`amount`). The other columns are the
-- usage that the hold collects: of its requests with one model, and neither end user nor metadata. If it collects none,
-- `requests` is 0.
create type hold_change as (
  account_id uuid, hold_id uuid, before bigint, amount bigint, in_use bigint, cost bigint, model text, requests integer,
  failed_requests integer, prompt_tokens bigint, cached_tokens bigint, cache_creation_tokens bigint,
  completion_tokens bigint, reasoning_tokens bigint, cost_nanos bigint
);

-- What `budget_ids` gain: `held` in their holds, and `cost` in what they have spent. The cost counts in the periods that
-- contain `since`; in the current ones if that is null.
create type budget_change as (account_id uuid, budget_ids uuid[], held bigint, cost bigint, since timestamptz);

-- The sum over the other requests of one batch with the same account, key, day of arrival, model, end user and metadata.
create type usage_sum as (
  day date, model text, end_user text, metadata text, requests integer, failed_requests integer, prompt_tokens bigint,
  cached_tokens bigint, cache_creation_tokens bigint, completion_tokens bigint, reasoning_tokens bigint,
  cost_nanos bigint, account_id uuid, api_key_id uuid
);
