-- Alerts: an e-mail when the credits of an account fall below a threshold, and when a key has spent most or all of its
-- cap. Both are decided in the transaction that moves the money (domain/alerts/README.md).

create table balance_alerts (
  account_id uuid not null,
  id uuid not null,
  threshold_nanos bigint not null,
  -- It fires when credits fall below the threshold, and is armed again when they are back at it.
  armed boolean not null,
  -- How often it has fired, and the last of them whose e-mail has left.
  fired integer not null default 0,
  sent integer not null default 0,
  last_sent_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- What a charge must pass for an alert of its account to be looked at; null where there is none. Of the alerts, the
-- highest threshold of those that are armed, and the lowest of those that have fired.
alter table balances
  add column fires_below_nanos bigint,
  add column arms_from_nanos bigint;

-- What a key's `total_spent_nanos` must reach for its cap to be looked at; null without a cap. Told is the percentage
-- that the account was told last, in the period that began at `told_period`.
alter table key_budgets
  add column looks_from_nanos bigint,
  add column told_percent smallint,
  add column told_period timestamptz;
update key_budgets set looks_from_nanos = total_spent_nanos where limit_nanos > 0;

-- An alert that cannot be decided never fails the charge that it is about: it is tried again with the next one.
create function on_credits_changed() returns trigger language plpgsql as $$
begin
  perform fire_balance_alerts(new.account_id, new.credits_nanos);
  return null;
exception when others then
  raise warning 'the alerts of account % could not be decided: % (%)', new.account_id, sqlerrm, sqlstate;
  return null;
end $$;

create function on_key_budget_changed() returns trigger language plpgsql as $$
begin
  perform fire_budget_alert(new.account_id, new.key_id, tg_argv[0]);
  return null;
exception when others then
  raise warning 'the budget of key % could not be looked at: % (%)', new.key_id, sqlerrm, sqlstate;
  return null;
end $$;

-- One comparison for a charge that passes no threshold; growing a hold is not looked at.
create trigger credits_changed after update of credits_nanos on balances for each row
  when (new.credits_nanos < new.fires_below_nanos or new.credits_nanos >= new.arms_from_nanos)
  execute function on_credits_changed();
create trigger key_spent after update of total_spent_nanos on key_budgets for each row
  when (new.total_spent_nanos >= new.looks_from_nanos
    or new.looks_from_nanos is not null and new.total_spent_nanos < old.total_spent_nanos)
  execute function on_key_budget_changed('spent');
create trigger key_budget_made after insert on key_budgets for each row
  when (new.limit_nanos is not null)
  execute function on_key_budget_changed('cap');
create trigger key_cap_changed after update of limit_nanos, reset_interval on key_budgets for each row
  when (new.limit_nanos is distinct from old.limit_nanos or new.reset_interval <> old.reset_interval)
  execute function on_key_budget_changed('cap');
