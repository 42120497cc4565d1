-- Alerts: an e-mail when an account's credits fall below a threshold, and when most or all of a key's cap or of a budget
-- is spent.
-- The transaction that moves the money decides both (domain/alerts/README.md).

create table balance_alerts (
  account_id uuid not null,
  id uuid not null,
  threshold_nanos bigint not null,
  -- An armed alert fires when credits fall below the threshold, and is armed again when they are at or above it.
  armed boolean not null,
  -- The number of times that it has fired, and the last of them whose e-mail was sent.
  fired integer not null default 0,
  sent integer not null default 0,
  last_sent_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- The webhook that receives an account's alerts besides the e-mail.
create table alert_webhooks (
  account_id uuid primary key references accounts (id),
  url text not null,
  updated_at timestamptz not null default now()
);

-- The number of notices sent to an account on the last day (UTC) with one. The limit keeps a customer from sending any
-- number of e-mails to an address.
create table alert_notices (
  account_id uuid primary key,
  day date not null,
  sent integer not null
);

-- An alert that cannot be decided never fails the charge: the next charge checks it again.
create function on_credits_changed() returns trigger language plpgsql as $$
begin
  perform fire_balance_alerts(new.account_id, new.credits_nanos);
  return null;
exception when others then
  raise warning 'The alerts of account % could not be checked: % (%)', new.account_id, sqlerrm, sqlstate;
  return null;
end $$;

create function on_key_budget_changed() returns trigger language plpgsql as $$
begin
  perform fire_cap_alert(new.account_id, new.key_id, tg_argv[0]);
  return null;
exception when others then
  raise warning 'The cap of key % could not be checked: % (%)', new.key_id, sqlerrm, sqlstate;
  return null;
end $$;

create function on_budget_changed() returns trigger language plpgsql as $$
begin
  perform fire_budget_alert(new.account_id, new.id, tg_argv[0]);
  return null;
exception when others then
  raise warning 'The budget % could not be checked: % (%)', new.id, sqlerrm, sqlstate;
  return null;
end $$;

-- A charge that passes no threshold costs one comparison. The growth of a hold changes none of these columns.
create trigger credits_changed after update of credits_nanos on balances for each row
  when (new.credits_nanos < new.fires_below_nanos or new.credits_nanos >= new.arms_from_nanos)
  execute function on_credits_changed();
create trigger key_spent after update of total_spent_nanos on key_budgets for each row
  when (new.total_spent_nanos >= new.check_from_nanos
    or new.check_from_nanos is not null and new.total_spent_nanos < old.total_spent_nanos)
  execute function on_key_budget_changed('spent');
create trigger key_budget_made after insert on key_budgets for each row
  when (new.limit_nanos is not null)
  execute function on_key_budget_changed('limit');
create trigger key_cap_changed after update of limit_nanos, reset_interval on key_budgets for each row
  when (new.limit_nanos is distinct from old.limit_nanos or new.reset_interval <> old.reset_interval)
  execute function on_key_budget_changed('limit');
create trigger budget_spent after update of total_spent_nanos on budgets for each row
  when (new.total_spent_nanos >= new.check_from_nanos
    or new.check_from_nanos is not null and new.total_spent_nanos < old.total_spent_nanos)
  execute function on_budget_changed('spent');
create trigger budget_made after insert on budgets for each row
  execute function on_budget_changed('limit');
create trigger budget_limit_changed after update of limit_nanos, reset_interval on budgets for each row
  when (new.limit_nanos <> old.limit_nanos or new.reset_interval <> old.reset_interval)
  execute function on_budget_changed('limit');
