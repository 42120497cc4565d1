-- What settle_requests does, for the one charge of a batch that one hold pays: plain statements on single rows, at a
-- third of its cost. Answers false, and changes nothing, where the case is not the plain one: the hold does not cover the
-- charge, or the request was logged before. The account is locked by the caller.
create function settle_one(c charge, t hold_target) returns boolean language plpgsql as $$
declare
  at timestamptz := clock_timestamp();
  today timestamptz := date_trunc('day', at, 'UTC');
  this_week timestamptz := date_trunc('week', at, 'UTC');
  this_month timestamptz := date_trunc('month', at, 'UTC');
  before bigint;
  key uuid;
begin
  select h.amount_nanos, h.key_id into before, key from holds h where h.account_id = t.account_id and h.id = t.hold_id;
  if not found or key <> c.api_key_id or t.in_use < 0 or t.in_use > t.amount or t.amount > before - c.cost_nanos then
    return false;
  end if;

  insert into request_logs (
    account_id, created_at, id, api_key_id, route, model, answered_by, vendor, byok_id, streamed, status,
    error_code, prompt_tokens, cached_tokens, cache_creation_tokens, completion_tokens, reasoning_tokens,
    usage_estimated, cost_nanos, cost_terms, end_user, client_address, upstream_request_id, first_byte_ms,
    duration_ms, attempts
  ) values (
    c.account_id, c.created_at, c.id, c.api_key_id, c.route, c.model, c.answered_by, c.vendor, c.byok_id,
    c.streamed, c.status, c.error_code, c.prompt_tokens, c.cached_tokens, c.cache_creation_tokens,
    c.completion_tokens, c.reasoning_tokens, c.usage_estimated, c.cost_nanos, c.cost_terms, c.end_user,
    c.client_address, c.upstream_request_id, c.first_byte_ms, c.duration_ms, c.attempts
  ) on conflict do nothing;
  if not found then return false; end if;
  perform count_usage(
    c.account_id, c.created_at, c.api_key_id, c.model, c.end_user, 1,
    case when c.status >= 400 and c.status <> 499 then 1 else 0 end, c.prompt_tokens, c.cached_tokens,
    c.cache_creation_tokens, c.completion_tokens, c.reasoning_tokens, c.cost_nanos);

  insert into transactions (
    account_id, id, source, credits_nanos, payment_method, status, api_key_id, request_id, created_at
  ) values (c.account_id, c.transaction_id, c.id, -c.cost_nanos, 'usage', 'completed', key, c.id, at);
  update key_budgets k set
    day_spent_nanos = case when c.created_at >= today then c.cost_nanos else 0 end
      + case when k.counted_at >= today then k.day_spent_nanos else 0 end,
    week_spent_nanos = case when c.created_at >= this_week then c.cost_nanos else 0 end
      + case when k.counted_at >= this_week then k.week_spent_nanos else 0 end,
    month_spent_nanos = case when c.created_at >= this_month then c.cost_nanos else 0 end
      + case when k.counted_at >= this_month then k.month_spent_nanos else 0 end,
    counted_at = greatest(k.counted_at, at),
    total_spent_nanos = k.total_spent_nanos + c.cost_nanos,
    held_nanos = k.held_nanos + t.amount - before
  where k.account_id = c.account_id and k.key_id = key;
  update balances b set credits_nanos = b.credits_nanos - c.cost_nanos, held_nanos = b.held_nanos + t.amount - before
  where b.account_id = c.account_id;
  update holds h set amount_nanos = t.amount, in_use_nanos = t.in_use
  where h.account_id = t.account_id and h.id = t.hold_id;
  return true;
end $$;
