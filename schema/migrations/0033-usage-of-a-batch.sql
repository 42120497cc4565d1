-- What the requests of one batch come to that share account, key, day of arrival, model and end user: what they add to
-- the usage counters.
create type usage_sum as (
  day date, model text, end_user text, requests integer, failed_requests integer, prompt_tokens bigint,
  cached_tokens bigint, cache_creation_tokens bigint, completion_tokens bigint, reasoning_tokens bigint, cost_nanos bigint
);
