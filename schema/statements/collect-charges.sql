-- Adds the sums of the charges of a plain batch to the holds that pay (`changes`), from which post_accounts posts them. The
-- caller then writes their log rows and transactions (log_charges). All requests arrived on `day` (UTC). `used` is the usage
-- that holds do not collect: requests with an end user or metadata, or of a further model. The caller has locked the accounts
-- of `used`.
--
-- Accounts of `changes` are not locked: only the process of a hold and post_accounts change its row. The changes are in
-- the order of their accounts and holds, in which post_accounts locks the holds, too.
--
-- Raises an error if the case needs settle_requests, to which the batch is then sent: check_violation if a hold does
-- not cover its charges, was changed by other transactions, or has unposted usage of another day or model.
--
-- One statement updates all holds: with a statement for each, a batch of 24 keys takes a third longer. It is planned once,
-- because planning it for each batch would take longer than a small batch. `= any (array[…])` finds a row of `holds` for each
-- change. With `=`, a plan that was made while `holds` was empty would read all of it for each batch.
create function collect_charges(changes hold_change[], used usage_sum[], day date)
returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  changed bigint;
  u usage_sum;
begin
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
  from unnest(changes) c
  where h.account_id = any (array[c.account_id]) and h.id = any (array[c.hold_id]) and h.amount_nanos = c.before
    and c.in_use between 0 and c.amount and c.cost >= 0 and c.amount <= c.before - c.cost
    and (h.unposted_day = day or h.unposted_day is null)
    and (h.unposted_model = c.model or h.unposted_requests = 0 or c.requests = 0);
  get diagnostics changed = row_count;
  if changed < cardinality(changes) then
    raise check_violation using message = 'a hold does not cover its charges, or has changed';
  end if;

  foreach u in array used loop
    perform count_usage(
      u.account_id, u.day::timestamp at time zone 'UTC', u.api_key_id, u.model, u.end_user, u.metadata, u.requests,
      u.failed_requests, u.prompt_tokens, u.cached_tokens, u.cache_creation_tokens, u.completion_tokens,
      u.reasoning_tokens, u.cost_nanos);
  end loop;
end $$;
