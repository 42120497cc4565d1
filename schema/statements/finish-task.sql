-- Ends a task: its state, the charge or the release of its hold, the transaction, the spend of its key, the request's
-- row in the log and its callback, in one transaction. Only a task in one of the states `expected` that has not ended is
-- changed; returns whether it was. `outcome`:
--
--   status          success, failed or cancelled; success is charged, unless a credential of the account's own was used
--   results         what was stored
--   error_code, error_message
--   http_status     what the log says
--   step            of the worker that ends it; null for clients. A later step of the task leaves it unchanged
--   transaction_id  of the charge
create function finish_task(account uuid, task text, expected text[], outcome json) returns boolean
language plpgsql as $$
declare
  t tasks;
  at timestamptz := clock_timestamp();
  today timestamptz := date_trunc('day', at, 'UTC');
  this_week timestamptz := date_trunc('week', at, 'UTC');
  this_month timestamptz := date_trunc('month', at, 'UTC');
  new_status text := outcome ->> 'status';
  held bigint;
  cost bigint;
begin
  perform set_config('lock_timeout', '5000', true);
  perform 1 from balances b where b.account_id = account for no key update;
  select * into t from tasks o where o.account_id = account and o.id = task for no key update;
  if not found or t.finished_at is not null or t.status <> all (expected) or t.step <> (outcome ->> 'step')::bigint then
    return false;
  end if;

  delete from holds h where h.account_id = account and h.id = t.hold_id returning h.amount_nanos into held;
  held := coalesce(held, 0);
  -- Never more than was held.
  cost := case when new_status = 'success' and t.byok_id is null then least(t.price_nanos, held) else 0 end;

  insert into request_logs (
    account_id, created_at, id, api_key_id, route, model, vendor, byok_id, status, error_code, cost_nanos, cost_terms,
    end_user, client_address, duration_ms
  ) values (
    account, t.created_at, t.request_id, t.api_key_id,
    case t.kind when 'video' then 'videos.generations' when 'speech' then 'audio.speech' else 'audio.generations' end,
    t.model, t.vendor, t.byok_id, (outcome ->> 'http_status')::integer, outcome ->> 'error_code', cost,
    case when cost > 0 then t.price_terms end, t.end_user, t.client_address,
    least(2147483647, greatest(0, extract(epoch from at - t.created_at) * 1000))::integer
  );
  perform count_usage(
    account, t.created_at, t.api_key_id, t.model, t.end_user, 1,
    case when new_status = 'failed' then 1 else 0 end, cost_nanos => cost);
  if cost > 0 then
    insert into transactions (
      account_id, id, source, credits_nanos, payment_method, status, api_key_id, request_id, task_id, created_at
    ) values (
      account, outcome ->> 'transaction_id', t.id, -cost, 'usage', 'completed', t.api_key_id, t.request_id, t.id, at);
  end if;
  if held > 0 then
    update key_budgets k set
      day_spent_nanos = case when t.created_at >= today then cost else 0 end
        + case when k.counted_at >= today then k.day_spent_nanos else 0 end,
      week_spent_nanos = case when t.created_at >= this_week then cost else 0 end
        + case when k.counted_at >= this_week then k.week_spent_nanos else 0 end,
      month_spent_nanos = case when t.created_at >= this_month then cost else 0 end
        + case when k.counted_at >= this_month then k.month_spent_nanos else 0 end,
      counted_at = greatest(k.counted_at, at),
      total_spent_nanos = k.total_spent_nanos + cost,
      held_nanos = k.held_nanos - held
    where k.account_id = account and k.key_id = t.api_key_id;
    update balances b set credits_nanos = b.credits_nanos - cost, held_nanos = b.held_nanos - held
    where b.account_id = account;
  end if;

  update tasks o set
    status = new_status, results = outcome -> 'results', error_code = outcome ->> 'error_code',
    error_message = outcome ->> 'error_message', cost_nanos = cost, hold_id = null, files = null, due_at = null, worker = null,
    updated_at = at, finished_at = at
  where o.account_id = account and o.id = task;
  perform queue_callback(account, task);
  return true;
end $$;
