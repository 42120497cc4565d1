-- Where an account is told of its alerts besides by e-mail; no row is nowhere.
create table alert_webhooks (
  account_id uuid primary key references accounts (id),
  url text not null,
  updated_at timestamptz not null default now()
);
