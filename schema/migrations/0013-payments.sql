-- Payments by card, through Stripe's Checkout (docs/payments.md).

-- One row for each top-up, written before the call to Stripe. Its ID is the idempotency key of the session, and every
-- event of the session carries it. `completed` is final.
create table payments (
  account_id uuid not null,
  id text not null,
  amount_nanos bigint not null,
  currency text not null, -- as Stripe writes it: usd
  status text not null default 'pending', -- pending, completed, failed, expired
  -- The client's own, for a day.
  idempotency_key text,
  session_id text,
  checkout_url text,
  payment_intent_id text,
  -- Errors of Stripe when the session was requested. Stripe repeats an error under the same idempotency key for a day, so
  -- a retry has another key.
  session_tries integer not null default 0,
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  primary key (account_id, id)
);
create unique index payments_idempotency on payments (account_id, idempotency_key) where idempotency_key is not null;
create index payments_pending on payments (account_id, created_at) where status = 'pending';
create index payments_intent on payments (payment_intent_id) where payment_intent_id is not null;

-- Every event of Stripe that was processed, with its outcome. The ID alone is the key, because an event is recognised
-- before its account is known.
create table payment_events (
  id text primary key,
  type text not null,
  outcome text not null,
  account_id uuid,
  payment_id text,
  received_at timestamptz not null default now()
);
create index payment_events_received on payment_events (received_at);

-- Refunds and disputes, by Stripe's ID. One may arrive before the event of its payment: it waits here, and the payment
-- applies it. The money is with the account in the state `returned`.
create table payment_reversals (
  payment_intent_id text not null,
  id text not null,
  kind text not null, -- payment_refund, dispute
  amount_nanos bigint not null,
  state text not null, -- taken, returned
  -- When Stripe created the event of the state. A dispute may be lost, won, and lost again.
  event_at timestamptz not null default '-infinity',
  -- The number of times that the amount was taken from the credits.
  times int not null default 0,
  created_at timestamptz not null default now(),
  primary key (payment_intent_id, id)
);
