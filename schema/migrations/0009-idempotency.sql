-- Responses kept for a day under the client's `Idempotency-Key`. A row is claimed before the request runs. It carries the
-- request's ID and time, so that a process that takes over from a dead one settles the same request.

create table idempotency_keys (
  account_id uuid not null,
  key text not null,
  fingerprint bytea not null,
  process_id uuid not null,
  request_id text not null,
  started_at timestamptz not null,
  status integer,
  content_type text,
  body bytea,
  primary key (account_id, key)
);
create index idempotency_keys_started on idempotency_keys (started_at);
