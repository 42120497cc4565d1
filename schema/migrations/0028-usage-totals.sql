-- Where an account has many end users, what it used in all is found without looking at each: `end_user_place` 0 counts
-- every request of the day, key and model. The rows of end users come beside it. What named none is the difference.
lock table request_logs in share mode;

insert into usage_counters as u
select account_id, day, api_key_id, model, 0, sum(requests), sum(failed_requests), sum(prompt_tokens),
  sum(cached_tokens), sum(cache_creation_tokens), sum(completion_tokens), sum(reasoning_tokens), sum(cost_nanos)
from usage_counters group by account_id, day, api_key_id, model
on conflict on constraint usage_counters_pkey do update set
  requests = excluded.requests, failed_requests = excluded.failed_requests, prompt_tokens = excluded.prompt_tokens,
  cached_tokens = excluded.cached_tokens, cache_creation_tokens = excluded.cache_creation_tokens,
  completion_tokens = excluded.completion_tokens, reasoning_tokens = excluded.reasoning_tokens,
  cost_nanos = excluded.cost_nanos;

create index usage_counters_totals on usage_counters (account_id, day, api_key_id, model) where end_user_place = 0;
