-- Refunds a request that was charged although its client was refused: a refund transaction returns the charge to the
-- account, and the log and the key's spend count it as free. Returns the refunded nano-dollars: 0 if nothing was
-- charged, or if the request has been answered since under its Idempotency-Key; null while it may still be answered.
-- Deletes the claim of the Idempotency-Key, so that a later repeat is a new request, which is charged. Otherwise a repeat
-- could be answered with the result that was refunded.
create function refund_request(account uuid, arrived_at timestamptz, request text, refund_id text) returns bigint
language plpgsql set enable_seqscan = off as $$
declare
  cost bigint;
  key uuid;
  logged request_logs;
  counted_by uuid[];
  is_answered boolean;
  is_running boolean;
begin
  perform 1 from balances b where b.account_id = account for no key update;
  if runs_on_citus() then perform await_second_phases(); end if;
  perform post_accounts(array[account]);
  select l.* into logged from request_logs l
  where l.account_id = account and l.created_at = arrived_at and l.id = request;
  cost := logged.cost_nanos;
  key := logged.api_key_id;
  if coalesce(cost, 0) = 0 then return 0; end if;
  select i.status is not null, exists (select from processes p where p.id = i.process_id) into is_answered, is_running
  from idempotency_keys i where i.account_id = account and i.request_id = request for update;
  if is_answered then return 0; end if;
  if is_running then return null; end if;
  delete from idempotency_keys i where i.account_id = account and i.request_id = request;

  select t.budget_ids into counted_by from transactions t
  where t.account_id = account and t.request_id = request and t.budget_ids is not null limit 1;
  if runs_on_citus() then perform commit_in_two_phases(); end if;
  insert into transactions (
    account_id, id, source, credits_nanos, payment_method, status, api_key_id, request_id, budget_ids, created_at
  ) values (account, refund_id, request, cost, 'refund', 'completed', key, request, counted_by, clock_timestamp());
  update request_logs l set cost_nanos = 0, cost_terms = null, status = 503, error_code = 'settlement_unknown'
  where l.account_id = account and l.created_at = arrived_at and l.id = request;
  perform count_usage(account, arrived_at, key, logged.model, logged.end_user, logged.metadata, 0,
    case when logged.status >= 400 and logged.status <> 499 then 0 else 1 end, cost_nanos => -cost);
  update key_budgets k set
    day_spent_nanos = k.day_spent_nanos
      - case when arrived_at >= date_trunc('day', k.counted_at, 'UTC') then cost else 0 end,
    week_spent_nanos = k.week_spent_nanos
      - case when arrived_at >= date_trunc('week', k.counted_at, 'UTC') then cost else 0 end,
    month_spent_nanos = k.month_spent_nanos
      - case when arrived_at >= date_trunc('month', k.counted_at, 'UTC') then cost else 0 end,
    total_spent_nanos = k.total_spent_nanos - cost
  where k.account_id = account and k.key_id = key;
  if counted_by is not null then
    perform count_budgets(array[(account, counted_by, 0, -cost, arrived_at)::budget_change], clock_timestamp());
  end if;
  update balances b set credits_nanos = b.credits_nanos + cost where b.account_id = account;
  return cost;
end $$;
