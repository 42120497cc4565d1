-- What settle_requests does, for the charges of one key's hold, at half of its cost: plain statements on single rows. All
-- of them arrived today (UTC), and `used` is what they come to. Answers as flush_ledger does: all are settled.
--
-- Raises where the case is not the plain one, and the batch is then sent to settle_requests: unique_violation where a
-- request was logged before, check_violation where the hold does not cover its charges or was changed by others.
--
-- The first update locks the account. What the hold had was read before that: it is compared when the hold is changed.
create function settle_hold(charges charge[], used usage_sum[], t hold_target) returns json language plpgsql as $$
declare
  at timestamptz;
  today timestamptz;
  cost bigint := 0;
  key uuid;
  before bigint;
  u usage_sum;
begin
  foreach u in array used loop
    cost := cost + u.cost_nanos;
  end loop;
  update balances b set credits_nanos = b.credits_nanos - cost, held_nanos = b.held_nanos + t.amount - h.amount_nanos
  from holds h
  where b.account_id = t.account_id and h.account_id = t.account_id and h.id = t.hold_id
    and t.in_use between 0 and t.amount and t.amount <= h.amount_nanos - cost
  returning h.amount_nanos, h.key_id into before, key;
  if not found then raise check_violation using message = 'the hold does not cover its charges'; end if;
  -- After the account was locked: of two settlements of an account the later one has the later time.
  at := clock_timestamp();
  today := date_trunc('day', at, 'UTC');

  update holds h set amount_nanos = t.amount, in_use_nanos = t.in_use
  where h.account_id = t.account_id and h.id = t.hold_id and h.amount_nanos = before;
  if not found then raise check_violation using message = 'the hold was changed meanwhile'; end if;
  update key_budgets k set
    day_spent_nanos = cost + case when k.counted_at >= today then k.day_spent_nanos else 0 end,
    week_spent_nanos = cost
      + case when k.counted_at >= date_trunc('week', at, 'UTC') then k.week_spent_nanos else 0 end,
    month_spent_nanos = cost
      + case when k.counted_at >= date_trunc('month', at, 'UTC') then k.month_spent_nanos else 0 end,
    counted_at = greatest(k.counted_at, at),
    total_spent_nanos = k.total_spent_nanos + cost,
    held_nanos = k.held_nanos + t.amount - before
  where k.account_id = t.account_id and k.key_id = key;

  insert into request_logs (
    account_id, created_at, id, api_key_id, route, model, answered_by, vendor, byok_id, streamed, status,
    error_code, prompt_tokens, cached_tokens, cache_creation_tokens, completion_tokens, reasoning_tokens,
    usage_estimated, cost_nanos, cost_terms, end_user, client_address, upstream_request_id, first_byte_ms,
    duration_ms, attempts
  )
  select c.account_id, c.created_at, c.id, c.api_key_id, c.route, c.model, c.answered_by, c.vendor, c.byok_id,
    c.streamed, c.status, c.error_code, c.prompt_tokens, c.cached_tokens, c.cache_creation_tokens,
    c.completion_tokens, c.reasoning_tokens, c.usage_estimated, c.cost_nanos, c.cost_terms, c.end_user,
    c.client_address, c.upstream_request_id, c.first_byte_ms, c.duration_ms, c.attempts
  from unnest(charges) c;
  insert into transactions (
    account_id, id, source, credits_nanos, payment_method, status, api_key_id, request_id, created_at
  )
  select c.account_id, c.transaction_id, c.id, -c.cost_nanos, 'usage', 'completed', c.api_key_id, c.id, at
  from unnest(charges) c where c.cost_nanos > 0;

  foreach u in array used loop
    if u.day < (today at time zone 'UTC')::date then
      raise check_violation using message = 'a request arrived before today';
    end if;
    if u.end_user is null then
      update usage_totals k set
        requests = k.requests + u.requests, failed_requests = k.failed_requests + u.failed_requests,
        prompt_tokens = k.prompt_tokens + u.prompt_tokens, cached_tokens = k.cached_tokens + u.cached_tokens,
        cache_creation_tokens = k.cache_creation_tokens + u.cache_creation_tokens,
        completion_tokens = k.completion_tokens + u.completion_tokens,
        reasoning_tokens = k.reasoning_tokens + u.reasoning_tokens, cost_nanos = k.cost_nanos + u.cost_nanos
      where k.account_id = t.account_id and k.day = u.day and k.api_key_id = key and k.model = u.model
        and k.end_user_place = 0;
      if found then continue; end if;
    end if;
    perform count_usage(
      t.account_id, u.day::timestamp at time zone 'UTC', key, u.model, u.end_user, u.requests, u.failed_requests,
      u.prompt_tokens, u.cached_tokens, u.cache_creation_tokens, u.completion_tokens, u.reasoning_tokens, u.cost_nanos);
  end loop;
  return '{"state": "committed", "outcomes": "settled"}';
end $$;
