-- Changes of an account through the management API and by operators: actor, action, time and address. Values and secrets
-- are not part of it, only the names of the fields that were set, and the reasons that operators state.
--
-- A row is written before its action begins, and becomes `done` in the transaction of the action, so no action exists
-- without a row. A row that remains `begun` was interrupted by a crash: its action may or may not have been done.

create table audit_log (
  account_id uuid not null,
  id text not null,
  action text not null, -- the mutation
  state text not null default 'begun', -- begun, done
  actor_kind text not null, -- session, provisioning, key, operator
  actor_id text, -- the ID of the person or key, or the name of the operator
  actor_email text, -- the person's e-mail address at that time: the person may have left the account since
  target_type text,
  target_id text,
  fields text[] not null default '{}',
  reason text, -- an operator's reason
  address text,
  request_id text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (account_id, id)
);
-- A list by action, actor or target reads about as many rows as it returns.
create index audit_log_action on audit_log (account_id, action, id);
create index audit_log_actor on audit_log (account_id, actor_id, id);
create index audit_log_target on audit_log (account_id, target_id, id);
create index audit_log_created on audit_log (created_at);
