-- Writes the row of an ended task in the request log, and counts it. `t` is the task, `at` is when it ended. The account is
-- locked by the caller.
create function log_task(
  t tasks, at timestamptz, new_status text, http_status integer, error_code text, cost bigint
) returns void language plpgsql as $$
declare
  -- If the response to the submit was lost, the log already contains it as a refusal without cost. The end of the task
  -- replaces that row.
  logged request_logs := logged_before(t.account_id, t.created_at, t.request_id);
  took_ms integer := least(2147483647, greatest(0, extract(epoch from at - t.created_at) * 1000));
  log_route text := task_route(t.kind);
  terms text := case when cost > 0 then t.price_terms end;
begin
  if runs_on_citus() then perform commit_in_two_phases(); end if;
  if logged.id is not null then
    perform count_usage(
      t.account_id, t.created_at, logged.api_key_id, logged.model, logged.end_user, logged.metadata, -1,
      case when logged.status >= 400 and logged.status <> 499 then -1 else 0 end, -logged.prompt_tokens,
      -logged.cached_tokens, -logged.cache_creation_tokens, -logged.completion_tokens, -logged.reasoning_tokens,
      -logged.cost_nanos);
  end if;
  insert into request_logs (
    account_id, created_at, id, api_key_id, route, model, vendor, byok_id, status, error_code, cost_nanos, cost_terms,
    end_user, metadata, client_address, duration_ms
  ) values (
    t.account_id, t.created_at, t.request_id, t.api_key_id, log_route, t.model, t.vendor, t.byok_id, http_status,
    log_task.error_code, cost, terms, t.end_user, t.metadata, t.client_address, took_ms
  ) on conflict (account_id, created_at, id) do update set
    api_key_id = excluded.api_key_id, route = excluded.route, model = excluded.model, vendor = excluded.vendor,
    byok_id = excluded.byok_id, status = excluded.status, error_code = excluded.error_code,
    prompt_tokens = excluded.prompt_tokens, cached_tokens = excluded.cached_tokens,
    cache_creation_tokens = excluded.cache_creation_tokens, completion_tokens = excluded.completion_tokens,
    reasoning_tokens = excluded.reasoning_tokens, cost_nanos = excluded.cost_nanos, cost_terms = excluded.cost_terms, end_user = excluded.end_user,
    metadata = excluded.metadata,
    client_address = excluded.client_address, duration_ms = excluded.duration_ms;
  perform count_usage(
    t.account_id, t.created_at, t.api_key_id, t.model, t.end_user, t.metadata, 1,
    case when new_status = 'failed' then 1 else 0 end, cost_nanos => cost);
end $$;
