-- Payments by card, through Stripe (docs/payments.md).

-- The Stripe customer of an account. The row is written before the customer is created.
create table stripe_customers (
  account_id uuid primary key,
  customer_id text unique, -- null until Stripe has created it
  -- Errors of Stripe, as in `payments.tries`.
  tries integer not null default 0
);

-- Cards that Stripe has saved for an account, of which at most one is not removed. Only the fields that are displayed.
create table saved_cards (
  account_id uuid not null,
  id text not null, -- Stripe's
  brand text not null,
  last4 text not null,
  expiry_month integer not null,
  expiry_year integer not null,
  -- When Stripe created the latest event about it. Of two cards, the one with the later `saved_at` is used.
  event_at timestamptz not null,
  saved_at timestamptz not null,
  removed_at timestamptz,
  primary key (account_id, id)
);
create unique index saved_cards_saved on saved_cards (account_id) where removed_at is null;

-- Settings and state of the automatic top-up of an account.
create table automatic_top_ups (
  account_id uuid primary key,
  is_on boolean not null,
  threshold_nanos bigint not null,
  amount_nanos bigint not null,
  daily_max_nanos bigint not null,
  -- Declines since the last payment or change.
  declines integer not null default 0,
  -- No attempt starts before this time.
  retry_at timestamptz,
  -- Why it was switched off: declined, authentication_required, card_removed. Null if the account did it.
  stop_reason text,
  updated_at timestamptz not null default now()
);
create index automatic_top_ups_on on automatic_top_ups (account_id) where is_on;

-- One row for each top-up, written before the call to Stripe. Its ID is the idempotency key of the session or charge,
-- and every event about it carries the ID. `completed` is final.
create table payments (
  account_id uuid not null,
  id text not null,
  kind text not null default 'checkout', -- checkout, automatic
  amount_nanos bigint not null, -- the credits, without tax
  tax_nanos bigint, -- the tax that is paid in addition; null until it is known
  currency text not null, -- as Stripe writes it: usd
  status text not null default 'pending', -- pending, completed, failed, expired
  -- The client's own, for a day.
  idempotency_key text,
  session_id text,
  checkout_url text,
  payment_intent_id text,
  -- Errors of Stripe when the session or charge was requested. Stripe repeats an error under the same idempotency key for
  -- a day, so a retry has another key.
  tries integer not null default 0,
  -- Whether Checkout saves the card for automatic top-ups.
  saves_card boolean not null default false,
  -- Whether the payment turns an automatic top-up on again whose card required authentication.
  resumes_automatic boolean not null default false,
  -- Of an automatic top-up: the charged card, Stripe's calculation of the tax, the last call to Stripe, and the reason
  -- of a failure.
  card_id text,
  tax_calculation_id text,
  called_at timestamptz,
  failure text,
  -- Stripe's ID of the invoice of an automatic top-up; null until it is created.
  invoice_id text,
  -- Stripe's pages, when Stripe has created them.
  receipt_url text,
  invoice_url text,
  invoice_pdf_url text,
  created_at timestamptz not null default now(),
  completed_at timestamptz,
  primary key (account_id, id)
);
-- An account has at most one automatic top-up in progress.
create unique index payments_in_progress on payments (account_id) where kind = 'automatic' and status = 'pending';
create index payments_automatic on payments (account_id, (coalesce(completed_at, created_at))) where kind = 'automatic';
create index payments_called on payments (called_at) where kind = 'automatic' and status = 'pending';
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

-- People who have received a trial credit: an HMAC of each one's e-mail address (domain/trials/README.md).
create table trial_grants (
  person text primary key,
  granted_at timestamptz not null default now()
);

-- A charge never fails because of an automatic top-up: the worker finds missed ones (find-due-top-ups.sql).
create function on_available_low() returns trigger language plpgsql as $$
begin
  perform request_automatic_top_up(new.account_id);
  return null;
exception when others then
  raise warning 'The automatic top-up of account % could not be requested: % (%)', new.account_id, sqlerrm, sqlstate;
  return null;
end $$;
create trigger available_low after update of credits_nanos, held_nanos, tops_up_below_nanos on balances for each row
  when (new.credits_nanos - new.held_nanos < new.tops_up_below_nanos)
  execute function on_available_low();
