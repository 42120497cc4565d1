-- Replaces the row of a request in the log that has no cost, and subtracts its usage. Returns whether there is one. The caller
-- has locked the account, and counts the new usage.
create function replace_free_request(c charge) returns boolean language plpgsql as $$
declare
  logged request_logs;
begin
  select l.* into logged from request_logs l
  where l.account_id = c.account_id and l.created_at = c.created_at and l.id = c.id and l.cost_nanos = 0;
  if not found then return false; end if;
  perform count_usage(
    logged.account_id, logged.created_at, logged.api_key_id, logged.model, logged.end_user, logged.metadata, -1,
    case when logged.status >= 400 and logged.status <> 499 then -1 else 0 end, -logged.prompt_tokens,
    -logged.cached_tokens, -logged.cache_creation_tokens, -logged.completion_tokens, -logged.reasoning_tokens, 0);
  if runs_on_citus() then perform commit_in_two_phases(); end if;
  update request_logs l set
    api_key_id = c.api_key_id, route = c.route, model = c.model, answered_by = c.answered_by, vendor = c.vendor,
    byok_id = c.byok_id, streamed = c.streamed, status = c.status, error_code = c.error_code,
    prompt_tokens = c.prompt_tokens, cached_tokens = c.cached_tokens,
    cache_creation_tokens = c.cache_creation_tokens, completion_tokens = c.completion_tokens,
    reasoning_tokens = c.reasoning_tokens, usage_estimated = c.usage_estimated, cost_nanos = c.cost_nanos,
    cost_terms = c.cost_terms, end_user = c.end_user, client_address = c.client_address,
    upstream_request_id = c.upstream_request_id, first_byte_ms = c.first_byte_ms, duration_ms = c.duration_ms,
    attempts = c.attempts, metadata = c.metadata
  where l.account_id = c.account_id and l.created_at = c.created_at and l.id = c.id;
  return true;
end $$;
