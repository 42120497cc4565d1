-- Writes the log rows of requests, and the transactions of those with a cost, with the time `at`. Returns the requests that
-- were entered. A request that was logged before is entered only if it has a cost and its row has none: the row is replaced,
-- and its usage is subtracted. The caller has locked the accounts.
create function enter_charges(charges charge[], at timestamptz) returns charge[]
language plpgsql set plan_cache_mode = auto as $$
declare
  fresh text[];
  entered charge[];
  c charge;
begin
  if runs_on_citus() then perform commit_in_two_phases(); end if;
  with logged as (
    insert into request_logs (
      account_id, created_at, id, api_key_id, route, model, answered_by, vendor, byok_id, streamed, status,
      error_code, prompt_tokens, cached_tokens, cache_creation_tokens, completion_tokens, reasoning_tokens,
      usage_estimated, cost_nanos, cost_terms, end_user, client_address, upstream_request_id, first_byte_ms,
      duration_ms, attempts, metadata
    )
    select n.account_id, n.created_at, n.id, n.api_key_id, n.route, n.model, n.answered_by, n.vendor, n.byok_id,
      n.streamed, n.status, n.error_code, n.prompt_tokens, n.cached_tokens, n.cache_creation_tokens,
      n.completion_tokens, n.reasoning_tokens, n.usage_estimated, n.cost_nanos, n.cost_terms, n.end_user,
      n.client_address, n.upstream_request_id, n.first_byte_ms, n.duration_ms, n.attempts, n.metadata
    from unnest(charges) n
    on conflict (account_id, created_at, id) do nothing
    returning id
  )
  select array_agg(l.id) into fresh from logged l;
  entered := array(select n from unnest(charges) n where exists (select from unnest(fresh) f where f = n.id));
  if cardinality(entered) < cardinality(charges) then
    foreach c in array array(
      select n from unnest(charges) n
      where n.cost_nanos > 0 and not exists (select from unnest(fresh) f where f = n.id))
    loop
      if replace_free_request(c) then entered := entered || c; end if;
    end loop;
  end if;

  insert into transactions (
    account_id, id, source, credits_nanos, payment_method, status, api_key_id, request_id, budget_ids, created_at
  )
  select n.account_id, n.transaction_id, n.id, -n.cost_nanos, 'usage', 'completed', n.api_key_id, n.id, n.budget_ids, at
  from unnest(entered) n where n.cost_nanos > 0;
  return entered;
end $$;
