-- Ends a task: writes its state, the charge or the release of its hold, the transaction, the spend of its key, the row
-- in the request log and its callback, in one transaction. Unless the task succeeds, its inputs expire. Only a task
-- that is in one of the states `expected` and has not ended is changed. Returns whether it was changed. `outcome`:
--
--   status          success, failed or cancelled; success is charged unless the account's own credential was used
--   results         the stored files
--   error_code, error_message
--   http_status     the HTTP status in the log
--   step            the step of the worker that ends the task; null for clients. If the task has a later step, it is not changed
--   transaction_id  the transaction of the charge
create function finish_task(account uuid, task text, expected text[], outcome json) returns boolean
language plpgsql set enable_seqscan = off as $$
declare
  t tasks;
  at timestamptz := clock_timestamp();
  today timestamptz := date_trunc('day', at, 'UTC');
  this_week timestamptz := date_trunc('week', at, 'UTC');
  this_month timestamptz := date_trunc('month', at, 'UTC');
  new_status text := outcome ->> 'status';
  held bigint;
  granted timestamptz;
  counted_from timestamptz;
  cost bigint;
begin
  perform set_config('lock_timeout', '5000', true);
  perform 1 from balances b where b.account_id = account for no key update;
  select * into t from tasks o where o.account_id = account and o.id = task for no key update;
  if not found or t.finished_at is not null or t.status <> all (expected) or t.step <> (outcome ->> 'step')::bigint then
    return false;
  end if;

  delete from holds h where h.account_id = account and h.id = t.hold_id
  returning h.amount_nanos, h.granted_at into held, granted;
  held := coalesce(held, 0);
  counted_from := greatest(t.created_at, granted);
  -- At most the held amount.
  cost := case when new_status = 'success' and t.byok_id is null then least(t.price_nanos, held) else 0 end;

  perform log_task(t, at, new_status, (outcome ->> 'http_status')::integer, outcome ->> 'error_code', cost);
  if cost > 0 then
    if runs_on_citus() then perform commit_in_two_phases(); end if;
    insert into transactions (
      account_id, id, source, credits_nanos, payment_method, status, api_key_id, request_id, task_id, budget_ids,
      created_at
    ) values (
      account, outcome ->> 'transaction_id', t.id, -cost, 'usage', 'completed', t.api_key_id, t.request_id, t.id, t.budget_ids,
      at);
  end if;
  if held > 0 then
    update key_budgets k set
      day_spent_nanos = case when counted_from >= today then cost else 0 end
        + counted_since(today, k.day_spent_nanos, k.counted_at, at),
      week_spent_nanos = case when counted_from >= this_week then cost else 0 end
        + counted_since(this_week, k.week_spent_nanos, k.counted_at, at),
      month_spent_nanos = case when counted_from >= this_month then cost else 0 end
        + counted_since(this_month, k.month_spent_nanos, k.counted_at, at),
      counted_at = later_count(k.counted_at, at),
      total_spent_nanos = k.total_spent_nanos + cost,
      held_nanos = k.held_nanos - held
    where k.account_id = account and k.key_id = t.api_key_id;
    if t.budget_ids is not null then
      perform count_budgets(array[(account, t.budget_ids, -held, cost, counted_from)::budget_change], at);
    end if;
    update balances b set credits_nanos = b.credits_nanos - cost, held_nanos = b.held_nanos - held
    where b.account_id = account;
  end if;

  update tasks o set
    status = new_status, results = outcome -> 'results', error_code = outcome ->> 'error_code',
    error_message = outcome ->> 'error_message', cost_nanos = cost, hold_id = null, files = null, due_at = null, worker = null,
    updated_at = at, finished_at = at
  where o.account_id = account and o.id = task;
  if new_status <> 'success' then
    -- IDs start with their time, so only files since the submit are read.
    update media_files f set removed_at = coalesce(f.removed_at, at), expires_at = least(f.expires_at, at)
    where f.account_id = account and f.kind = 'input' and f.task_id = task
      and f.id >= 'media_' || lpad(to_hex(floor(extract(epoch from t.created_at) * 1000)::bigint), 12, '0');
  end if;
  perform queue_callback(account, task);
  return true;
end $$;
