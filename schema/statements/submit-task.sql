-- Submits a task: writes its hold, its row and its job in one transaction. `given` has the columns of the new row
-- except the parameters, which are JSON of the client. The hold has the ID in `given` and the task's price. Returns the
-- outcome:
--
--   submitted  the task is queued
--   known      a task with that ID exists: an earlier attempt submitted it
--   too_many   `most_open` tasks of the account have not ended
--   balance    available is less than the price
--   cap        the rest of the key's spend cap is less than the price
--   budget:ID  the rest of the budget with this ID is less than the price
--   headroom   only headroom of processes is missing: they can release it, or it is released after a dead process
--              has sent no heartbeat for seven seconds
--
-- For every outcome except `submitted`, nothing was changed.
create function submit_task(given json, parameters text, most_open integer) returns text language plpgsql set enable_seqscan = off as $$
declare
  t tasks := json_populate_record(null::tasks, given);
  credits bigint;
  held bigint;
  unspent bigint;
  held_of_key bigint;
  in_use bigint;
  in_use_of_key bigint;
  short_budget uuid;
begin
  perform set_config('lock_timeout', '2000', true);
  perform 1 from balances b where b.account_id = t.account_id for no key update;
  if not found then
    insert into balances (account_id) values (t.account_id) on conflict do nothing;
    perform 1 from balances b where b.account_id = t.account_id for no key update;
  end if;
  perform post_accounts(array[t.account_id]);
  select b.credits_nanos, b.held_nanos into credits, held from balances b where b.account_id = t.account_id;
  if exists (select from tasks o where o.account_id = t.account_id and o.id = t.id) then return 'known'; end if;
  if most_open <= (
    select count(*) from (
      select from tasks o where o.account_id = t.account_id and o.finished_at is null limit most_open
    ) counted
  ) then return 'too_many'; end if;

  if t.hold_id is not null then
    select k.held_nanos, k.limit_nanos - spent_in_window(k.reset_interval, k.counted_at, k.day_spent_nanos,
        k.week_spent_nanos, k.month_spent_nanos, k.total_spent_nanos, clock_timestamp())
      into held_of_key, unspent
    from key_budgets k where k.account_id = t.account_id and k.key_id = t.api_key_id for no key update;
    if credits - held < t.price_nanos or unspent - held_of_key < t.price_nanos or t.budget_ids is not null and exists (
      select from budget_limits(t.account_id, t.budget_ids) l where l.unspent - l.held < t.price_nanos
    ) then
      -- A process uses its holds for up to six seconds without a heartbeat.
      perform forget_processes(interval '7 seconds');
      if release_holds(array[t.account_id]) > 0 then return submit_task(given, parameters, most_open); end if;
      select coalesce(sum(h.in_use_nanos), 0), coalesce(sum(h.in_use_nanos) filter (where h.key_id = t.api_key_id), 0)
        into in_use, in_use_of_key
      from holds h where h.account_id = t.account_id;
      select l.id into short_budget
      from budget_limits(t.account_id, t.budget_ids) l
      where l.unspent - t.price_nanos < (
        select coalesce(sum(h.in_use_nanos), 0) from holds h
        where h.account_id = t.account_id and l.id = any (h.budget_ids))
      order by l.turn limit 1;
      return case
        when credits - in_use < t.price_nanos then 'balance'
        when unspent - in_use_of_key < t.price_nanos then 'cap'
        else coalesce('budget:' || short_budget, 'headroom')
      end;
    end if;
    insert into holds (account_id, id, key_id, task_id, budget_ids, amount_nanos, in_use_nanos, granted_at)
    values (t.account_id, t.hold_id, t.api_key_id, t.id, t.budget_ids, t.price_nanos, t.price_nanos, clock_timestamp());
    update balances b set held_nanos = b.held_nanos + t.price_nanos where b.account_id = t.account_id;
    update key_budgets k set held_nanos = k.held_nanos + t.price_nanos
    where k.account_id = t.account_id and k.key_id = t.api_key_id;
    if t.budget_ids is not null then
      perform count_budgets(array[(t.account_id, t.budget_ids, t.price_nanos, 0, null)::budget_change], clock_timestamp());
    end if;
  end if;

  insert into tasks (
    account_id, id, request_id, api_key_id, kind, model, vendor, parameters, price_nanos, price_terms, budget_ids, hold_id, own_only,
    callback_url, end_user, metadata, client_address, created_at, ends_at, due_at
  ) values (
    t.account_id, t.id, t.request_id, t.api_key_id, t.kind, t.model, t.vendor, parameters::json, t.price_nanos,
    t.price_terms, t.budget_ids, t.hold_id, t.own_only, t.callback_url, t.end_user, t.metadata, t.client_address, t.created_at, t.ends_at,
    clock_timestamp()
  );
  perform graphile_worker.add_job(
    'advance-task', json_build_object('accountId', t.account_id, 'id', t.id), job_key := 'task:' || t.id);
  return 'submitted';
end $$;
