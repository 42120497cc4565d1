-- Does the same as settle_requests for the charges of one key's hold, at half of its cost, with simple statements on
-- single rows. All requests arrived today (UTC). `used` is the sum of the charges, `c` the change of the hold and `budgets`
-- the changes of budgets.
--
-- Raises an error if the case needs settle_requests, to which the batch is then sent: unique_violation if a request was
-- logged before, check_violation if the hold does not cover its charges or was changed by other transactions.
create function settle_hold(charges charge[], used usage_sum[], c hold_change, budgets budget_change[] default '{}')
returns void language plpgsql as $$
declare
  at timestamptz;
  today timestamptz;
  u usage_sum;
begin
  update balances b set
    credits_nanos = b.credits_nanos - c.cost, held_nanos = b.held_nanos + c.amount - c.before
  where b.account_id = c.account_id;
  -- Read after the account was locked, so that the later of two settlements of an account has the later time.
  at := clock_timestamp();
  today := date_trunc('day', at, 'UTC');

  update holds h set amount_nanos = c.amount, in_use_nanos = c.in_use
  where h.account_id = c.account_id and h.id = c.hold_id and h.amount_nanos = c.before
    and c.in_use between 0 and c.amount and c.cost >= 0 and c.amount <= c.before - c.cost;
  if not found then
    raise check_violation using message = 'the hold does not cover its charges, or was changed meanwhile';
  end if;
  update key_budgets k set
    day_spent_nanos = c.cost + counted_since(today, k.day_spent_nanos, k.counted_at, at),
    week_spent_nanos = c.cost
      + counted_since(date_trunc('week', at, 'UTC'), k.week_spent_nanos, k.counted_at, at),
    month_spent_nanos = c.cost
      + counted_since(date_trunc('month', at, 'UTC'), k.month_spent_nanos, k.counted_at, at),
    counted_at = later_count(k.counted_at, at),
    total_spent_nanos = k.total_spent_nanos + c.cost,
    held_nanos = k.held_nanos + c.amount - c.before
  where k.account_id = c.account_id and k.key_id = c.key_id;
  if cardinality(budgets) > 0 then perform count_budgets(budgets, at); end if;
  perform log_charges(charges, at);
  foreach u in array used loop
    if u.day < (today at time zone 'UTC')::date then
      raise check_violation using message = 'a request arrived before today';
    end if;
    if u.end_user is null and u.metadata is null then
      update usage_totals k set
        requests = k.requests + u.requests, failed_requests = k.failed_requests + u.failed_requests,
        prompt_tokens = k.prompt_tokens + u.prompt_tokens, cached_tokens = k.cached_tokens + u.cached_tokens,
        cache_creation_tokens = k.cache_creation_tokens + u.cache_creation_tokens,
        completion_tokens = k.completion_tokens + u.completion_tokens,
        reasoning_tokens = k.reasoning_tokens + u.reasoning_tokens, cost_nanos = k.cost_nanos + u.cost_nanos
      where k.account_id = u.account_id and k.day = u.day and k.api_key_id = u.api_key_id and k.model = u.model
        and k.end_user_place = 0 and k.metadata_place = 0;
      continue when found;
    end if;
    perform count_usage(
      u.account_id, u.day::timestamp at time zone 'UTC', u.api_key_id, u.model, u.end_user, u.metadata, u.requests,
      u.failed_requests, u.prompt_tokens, u.cached_tokens, u.cache_creation_tokens, u.completion_tokens,
      u.reasoning_tokens, u.cost_nanos);
  end loop;
end $$;
