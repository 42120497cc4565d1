-- Writes the log rows of requests without a row, and the transactions of requests with a cost. All requests arrived on `day`
-- (UTC). Raises unique_violation if a request has a row, check_violation if `day` has ended. Called outside of collect_charges,
-- because Citus has no generic plan of its statements.
create function log_charges(charges charge[], day date) returns void language plpgsql as $$
declare
  at timestamptz := clock_timestamp();
begin
  if day <> (at at time zone 'UTC')::date then
    raise check_violation using message = 'the requests did not arrive today';
  end if;
  if runs_on_citus() then perform commit_in_two_phases(); end if;
  insert into request_logs (
    account_id, created_at, id, api_key_id, route, model, answered_by, vendor, byok_id, streamed, status,
    error_code, prompt_tokens, cached_tokens, cache_creation_tokens, completion_tokens, reasoning_tokens,
    usage_estimated, cost_nanos, cost_terms, end_user, client_address, upstream_request_id, first_byte_ms,
    duration_ms, attempts, metadata
  )
  select c.account_id, c.created_at, c.id, c.api_key_id, c.route, c.model, c.answered_by, c.vendor, c.byok_id,
    c.streamed, c.status, c.error_code, c.prompt_tokens, c.cached_tokens, c.cache_creation_tokens,
    c.completion_tokens, c.reasoning_tokens, c.usage_estimated, c.cost_nanos, c.cost_terms, c.end_user,
    c.client_address, c.upstream_request_id, c.first_byte_ms, c.duration_ms, c.attempts, c.metadata
  from unnest(charges) c;
  insert into transactions (
    account_id, id, source, credits_nanos, payment_method, status, api_key_id, request_id, budget_ids,
    created_at
  )
  select c.account_id, c.transaction_id, c.id, -c.cost_nanos, 'usage', 'completed', c.api_key_id, c.id, c.budget_ids,
    at
  from unnest(charges) c where c.cost_nanos > 0;
end $$;
