-- Usage, counted when requests settle: one row for each UTC day, key, model, end user and value of metadata of an account.
-- Each column is the sum over the rows of request_logs that arrived on that day; both are deleted after two months.
-- Requests without a model count under ''. A request counts as failed if its client received an error; if its client left
-- (499), it does not.
--
-- `end_user_place` and `metadata_place` are places of usage_values, or `-1 - number` of usage_labels for all values
-- after the first thousand. Rows with an `end_user_place` of 0 count all requests, with and without an end user. Rows
-- with a `metadata_place` of 0 count all requests, with and without metadata. The requests without an end user are the
-- difference between these and the rest.
--
-- A request with n pairs of metadata is added to 1 + n rows, and to as many again if it has an end user.

create table usage_counters (
  account_id uuid not null,
  day date not null,
  api_key_id uuid not null,
  model text not null,
  end_user_place integer not null,
  metadata_place integer not null,
  requests bigint not null,
  failed_requests bigint not null,
  prompt_tokens bigint not null,
  cached_tokens bigint not null,
  cache_creation_tokens bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens bigint not null,
  cost_nanos bigint not null,
  primary key (account_id, day, end_user_place, metadata_place, api_key_id, model)
) partition by list (metadata_place);

-- The totals have a partition of their own: usage by day, key or model reads a few pages of it.
create table usage_of_any_metadata partition of usage_counters for values in (0) partition by list (end_user_place);
create table usage_totals partition of usage_of_any_metadata for values in (0) with (fillfactor = 50);
create table usage_by_end_user partition of usage_of_any_metadata default with (fillfactor = 50);
create table usage_of_metadata partition of usage_counters default partition by list (end_user_place);
create table usage_by_metadata partition of usage_of_metadata for values in (0) with (fillfactor = 50);
create table usage_by_end_user_and_metadata partition of usage_of_metadata default with (fillfactor = 50);
-- Only for deletion. Lookups compare `day`, so that they cannot choose these indexes, which contain every account: without
-- statistics of a day, they appear as cheap as the primary key.
create index usage_totals_day on usage_totals ((day + 0));
create index usage_by_end_user_day on usage_by_end_user ((day + 0));
create index usage_by_metadata_day on usage_by_metadata ((day + 0));
create index usage_by_end_user_and_metadata_day on usage_by_end_user_and_metadata ((day + 0));

-- The labels of an account's requests on a day: '' for the end user, with the number 0, and the first hundred keys of
-- metadata, numbered from 1. `value_count` is the number of its values that have a place.
create table usage_labels (
  account_id uuid not null,
  day date not null,
  label text not null,
  number integer not null,
  value_count integer not null,
  primary key (account_id, day, label)
) with (fillfactor = 50);
create index usage_labels_day on usage_labels ((day + 0));

-- The first thousand values of a label, each with its place: `1000 * number + n` for the n-th.
create table usage_values (
  account_id uuid not null,
  day date not null,
  label text not null,
  value text not null,
  place integer not null,
  primary key (account_id, day, label, value)
) with (fillfactor = 50);
create index usage_values_day on usage_values ((day + 0));

-- How long requests took that were answered: a row for each UTC day, key and model. Each array counts requests by bucket
-- of milliseconds (domain/usage/latency-buckets.ts). The process that settles requests adds to them every few seconds, so
-- a process that dies loses its last ones: unlike the counters, they are no sums of the log.
create table usage_latencies (
  account_id uuid not null,
  day date not null,
  api_key_id uuid not null,
  model text not null,
  durations integer[] not null, -- until the end of the response
  first_bytes integer[] not null, -- until the first byte of a streamed response
  primary key (account_id, day, api_key_id, model)
) with (fillfactor = 50);
create index usage_latencies_day on usage_latencies ((day + 0));

-- The totals with the unposted usage of holds.
create view current_usage_totals as
select account_id, day, api_key_id, model, requests, failed_requests, prompt_tokens, cached_tokens,
  cache_creation_tokens, completion_tokens, reasoning_tokens, cost_nanos
from usage_totals
union all
select h.account_id, h.unposted_day, h.key_id, h.unposted_model, h.unposted_requests, h.unposted_failed_requests,
  h.unposted_prompt_tokens, h.unposted_cached_tokens, h.unposted_cache_creation_tokens, h.unposted_completion_tokens,
  h.unposted_reasoning_tokens, h.unposted_cost_nanos
from holds h where h.unposted_requests > 0;

-- All counters with the unposted usage of holds.
create view current_usage as
select account_id, day, api_key_id, model, end_user_place, metadata_place, requests, failed_requests, prompt_tokens,
  cached_tokens, cache_creation_tokens, completion_tokens, reasoning_tokens, cost_nanos
from usage_counters
union all
select h.account_id, h.unposted_day, h.key_id, h.unposted_model, 0, 0, h.unposted_requests, h.unposted_failed_requests,
  h.unposted_prompt_tokens, h.unposted_cached_tokens, h.unposted_cache_creation_tokens, h.unposted_completion_tokens,
  h.unposted_reasoning_tokens, h.unposted_cost_nanos
from holds h where h.unposted_requests > 0;
