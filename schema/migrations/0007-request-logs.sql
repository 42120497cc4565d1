-- One row for each request, written by the statement that settles it. Partitions are daily, so that retention drops
-- whole days.

create table request_logs (
  account_id uuid not null,
  created_at timestamptz not null,
  id text not null,
  api_key_id uuid not null,
  route text not null,
  model text,
  answered_by text,
  vendor text,
  byok_id uuid,
  streamed boolean not null default false,
  status integer not null,
  error_code text,
  prompt_tokens bigint not null default 0,
  cached_tokens bigint not null default 0,
  cache_creation_tokens bigint not null default 0,
  completion_tokens bigint not null default 0,
  reasoning_tokens bigint not null default 0,
  usage_estimated boolean not null default false,
  cost_nanos bigint not null default 0,
  cost_terms text, -- in the format of domain/pricing/kept-terms.ts, parsed when it is read
  end_user text,
  client_address text,
  upstream_request_id text,
  first_byte_ms integer,
  duration_ms integer not null default 0,
  attempts text, -- the attempts of a request with more than one, as JSON text that is parsed when it is read
  metadata text, -- the pairs of the client's metadata, in the format of domain/logs/request-metadata.ts
  primary key (account_id, created_at, id)
) partition by range (created_at);
create index request_logs_key on request_logs (account_id, api_key_id, created_at desc);
-- Failed requests are few among many. The index costs nothing for the others.
create index request_logs_failed on request_logs (account_id, created_at desc, id desc) where status >= 400;

-- Receives the rows that no daily partition covers, so that a charge never waits for housekeeping.
create table request_logs_default partition of request_logs default;

-- Creates the daily partitions from yesterday to `days_ahead` days from now.
create function ensure_log_partitions(days_ahead integer) returns void language plpgsql as $$
declare
  first_day date := (now() at time zone 'UTC')::date - 1;
  partition_name text;
begin
  perform pg_advisory_xact_lock(hashtext('ensure_log_partitions'));
  for offset_days in 0 .. days_ahead + 1 loop
    partition_name := 'request_logs_' || to_char(first_day + offset_days, 'YYYYMMDD');
    if to_regclass(partition_name) is null then
      execute format(
        'create table %I partition of request_logs for values from (%L) to (%L)',
        partition_name,
        (first_day + offset_days)::text || ' 00:00:00+00',
        (first_day + offset_days + 1)::text || ' 00:00:00+00'
      );
    end if;
  end loop;
end $$;

select ensure_log_partitions(7);
