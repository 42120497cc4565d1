-- Adds one request to the usage counters of its account, day of arrival, key and model, and to the counters of its end
-- user and of each pair of its metadata. Every statement that writes a row of request_logs calls this in the same
-- transaction. Every statement that changes the status, tokens or cost of a row calls it with the differences
-- (`requests` 0; negative for decreases). Each counter is therefore the sum of its log rows. The caller has locked the
-- account. If a log database counts usage, nothing is counted here.
create function count_usage(
  account uuid, arrived_at timestamptz, key uuid, model text, end_user text, metadata text,
  requests integer default 1, failed_requests integer default 0, prompt_tokens bigint default 0,
  cached_tokens bigint default 0, cache_creation_tokens bigint default 0, completion_tokens bigint default 0,
  reasoning_tokens bigint default 0, cost_nanos bigint default 0
) returns void language plpgsql as $$
declare
  on_day date := (arrived_at at time zone 'UTC')::date;
begin
  if not counts_usage() then return; end if;
  insert into usage_counters as u
  select account, on_day, key, coalesce(count_usage.model, ''), e.place, m.place,
    count_usage.requests, count_usage.failed_requests, count_usage.prompt_tokens, count_usage.cached_tokens,
    count_usage.cache_creation_tokens, count_usage.completion_tokens, count_usage.reasoning_tokens,
    count_usage.cost_nanos
  from unnest(end_user_places(account, on_day, count_usage.end_user)) e (place)
  cross join unnest(metadata_places(account, on_day, count_usage.metadata)) m (place)
  on conflict on constraint usage_counters_pkey do update set
    requests = u.requests + excluded.requests, failed_requests = u.failed_requests + excluded.failed_requests,
    prompt_tokens = u.prompt_tokens + excluded.prompt_tokens, cached_tokens = u.cached_tokens + excluded.cached_tokens,
    cache_creation_tokens = u.cache_creation_tokens + excluded.cache_creation_tokens,
    completion_tokens = u.completion_tokens + excluded.completion_tokens,
    reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens, cost_nanos = u.cost_nanos + excluded.cost_nanos;
end $$;
