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
  -- A counter from later than this was counted while the server's clock was wrong.
  soon timestamptz := at + interval '1 hour';
  this_week timestamptz := date_trunc('week', at, 'UTC');
  this_month timestamptz := date_trunc('month', at, 'UTC');
  new_status text := outcome ->> 'status';
  held bigint;
  granted timestamptz;
  counted_from timestamptz;
  cost bigint;
  logged request_logs;
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
  -- Never more than was held.
  cost := case when new_status = 'success' and t.byok_id is null then least(t.price_nanos, held) else 0 end;

  -- A submit whose answer was lost is in the log already, as a refusal at no cost: the end of the task replaces it.
  logged := logged_before(account, t.created_at, t.request_id);
  if logged.id is not null then
    perform count_usage(
      account, t.created_at, logged.api_key_id, logged.model, logged.end_user, -1,
      case when logged.status >= 400 and logged.status <> 499 then -1 else 0 end, -logged.prompt_tokens,
      -logged.cached_tokens, -logged.cache_creation_tokens, -logged.completion_tokens, -logged.reasoning_tokens,
      -logged.cost_nanos);
  end if;
  insert into request_logs (
    account_id, created_at, id, api_key_id, route, model, vendor, byok_id, status, error_code, cost_nanos, cost_terms,
    end_user, client_address, duration_ms
  ) values (
    account, t.created_at, t.request_id, t.api_key_id,
    case t.kind when 'video' then 'videos.generations' when 'speech' then 'audio.speech' else 'audio.generations' end,
    t.model, t.vendor, t.byok_id, (outcome ->> 'http_status')::integer, outcome ->> 'error_code', cost,
    case when cost > 0 then t.price_terms end, t.end_user, t.client_address,
    least(2147483647, greatest(0, extract(epoch from at - t.created_at) * 1000))::integer
  ) on conflict (account_id, created_at, id) do update set
    api_key_id = excluded.api_key_id, route = excluded.route, model = excluded.model, vendor = excluded.vendor,
    byok_id = excluded.byok_id, status = excluded.status, error_code = excluded.error_code,
    prompt_tokens = excluded.prompt_tokens, cached_tokens = excluded.cached_tokens,
    cache_creation_tokens = excluded.cache_creation_tokens, completion_tokens = excluded.completion_tokens,
    reasoning_tokens = excluded.reasoning_tokens, cost_nanos = excluded.cost_nanos, cost_terms = excluded.cost_terms, end_user = excluded.end_user,
    client_address = excluded.client_address, duration_ms = excluded.duration_ms;
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
      day_spent_nanos = case when counted_from >= today then cost else 0 end
        + case when k.counted_at between today and soon then k.day_spent_nanos else 0 end,
      week_spent_nanos = case when counted_from >= this_week then cost else 0 end
        + case when k.counted_at between this_week and soon then k.week_spent_nanos else 0 end,
      month_spent_nanos = case when counted_from >= this_month then cost else 0 end
        + case when k.counted_at between this_month and soon then k.month_spent_nanos else 0 end,
      counted_at = case when k.counted_at <= soon then greatest(k.counted_at, at) else at end,
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
