-- Dollars that come in by card, through Stripe's Checkout (docs/payments.md).

-- One row a top-up, written before Stripe hears of it: its id is the key under which Stripe makes the session once, and
-- comes back with every event of it. `completed` is final.
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
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  primary key (account_id, id)
);
create unique index payments_idempotency on payments (account_id, idempotency_key) where idempotency_key is not null;
create index payments_pending on payments (account_id, created_at) where status = 'pending';
create index payments_intent on payments (payment_intent_id) where payment_intent_id is not null;

-- Every event that Stripe sent and we acted on, with what became of it. Its id alone is the key: an event is recognised
-- before it is known whose it is.
create table payment_events (
  id text primary key,
  type text not null,
  outcome text not null,
  account_id uuid,
  payment_id text,
  received_at timestamptz not null default now()
);

-- Refunds and disputes, by Stripe's id. One may be told before the payment that it is of: it waits here, and the payment
-- takes it along. `returned` is final: the money stays with the account then.
create table payment_reversals (
  payment_intent_id text not null,
  id text not null,
  kind text not null, -- payment_refund, dispute
  amount_nanos bigint not null,
  state text not null, -- taken, returned
  created_at timestamptz not null default now(),
  primary key (payment_intent_id, id)
);
