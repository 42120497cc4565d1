-- Settles the charges of a plain batch: writes their log rows and transactions, and adds their sums to the holds that pay
-- (`changes`), from which post_accounts posts them. All requests arrived on `day` (UTC). `used` is the usage that holds do
-- not collect: requests with an end user or metadata, or of a further model. The caller has locked the accounts of `used`.
--
-- Accounts of `changes` are not locked: only the process of a hold and post_accounts change its row. The changes are in
-- the order of their accounts and holds, in which post_accounts locks the holds, too.
--
-- Sequential scans are off because Postgres keeps a plan that it made while `holds` was small. Such a plan would read the
-- whole table for each hold.
--
-- Raises an error if the case needs settle_requests, to which the batch is then sent: unique_violation if a request was
-- logged before, check_violation if a hold does not cover its charges, was changed by other transactions, or has unposted
-- usage of another day or model.
create function collect_charges(charges charge[], changes hold_change[], used usage_sum[], day date)
returns void language plpgsql set enable_seqscan = off as $$
declare
  at timestamptz := clock_timestamp();
  c hold_change;
  u usage_sum;
begin
  if day <> (at at time zone 'UTC')::date and cardinality(charges) > 0 then
    raise check_violation using message = 'the requests did not arrive today';
  end if;
  foreach c in array changes loop
    update holds h set
      amount_nanos = c.amount, in_use_nanos = c.in_use, unposted_day = day,
      unposted_spent_nanos = h.unposted_spent_nanos + c.cost,
      unposted_held_nanos = h.unposted_held_nanos + c.before - c.amount,
      unposted_model = coalesce(c.model, h.unposted_model), unposted_requests = h.unposted_requests + c.requests,
      unposted_failed_requests = h.unposted_failed_requests + c.failed_requests,
      unposted_prompt_tokens = h.unposted_prompt_tokens + c.prompt_tokens,
      unposted_cached_tokens = h.unposted_cached_tokens + c.cached_tokens,
      unposted_cache_creation_tokens = h.unposted_cache_creation_tokens + c.cache_creation_tokens,
      unposted_completion_tokens = h.unposted_completion_tokens + c.completion_tokens,
      unposted_reasoning_tokens = h.unposted_reasoning_tokens + c.reasoning_tokens,
      unposted_cost_nanos = h.unposted_cost_nanos + c.cost_nanos
    where h.account_id = c.account_id and h.id = c.hold_id and h.amount_nanos = c.before
      and c.in_use between 0 and c.amount and c.cost >= 0 and c.amount <= c.before - c.cost
      and (h.unposted_day = day or h.unposted_day is null)
      and (h.unposted_model = c.model or h.unposted_requests = 0 or c.requests = 0);
    if not found then
      raise check_violation using message = 'a hold does not cover its charges, or has changed';
    end if;
  end loop;

  foreach u in array used loop
    perform count_usage(
      u.account_id, u.day::timestamp at time zone 'UTC', u.api_key_id, u.model, u.end_user, u.metadata, u.requests,
      u.failed_requests, u.prompt_tokens, u.cached_tokens, u.cache_creation_tokens, u.completion_tokens,
      u.reasoning_tokens, u.cost_nanos);
  end loop;
  perform log_charges(charges, at);
end $$;
