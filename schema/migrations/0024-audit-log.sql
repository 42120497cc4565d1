-- What was done to an account through the management API and by operators: who, what, when, from where. Values and
-- secrets are no part of it, only the names of what was set.
--
-- A row is written before its action begins, and `done` in the transaction of the action: an action without a row does
-- not exist. One that stays `begun` was cut by a crash, and may or may not have been done.
create table audit_log (
  account_id uuid not null,
  id text not null,
  action text not null, -- the mutation
  state text not null default 'begun', -- begun, done
  actor_kind text not null, -- session, provisioning, key, operator
  actor_id text, -- of the person or key; the name of an operator
  target_type text,
  target_id text,
  fields text[] not null default '{}',
  address text,
  request_id text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (account_id, id)
);
