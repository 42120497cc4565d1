-- Begins attempts of the due deliveries to one receiver of an account, oldest first, so that at most `max` run at
-- once. An attempt that has not ended within `lease` counts as lost, and its delivery is due again. After `max_steps`
-- lost attempts, the delivery has failed. If `count_calls` allows no call, due deliveries wait and keep their place in
-- the schedule.
create function claim_deliveries(account uuid, host text, max integer, max_steps integer, lease interval, by text)
returns table (id text, task_id text, url text, body text, number integer, step integer) language plpgsql as $$
#variable_conflict use_column
declare
  in_flight integer;
  wanted integer;
  calls record;
begin
  -- If several transactions claim for one receiver at once, one succeeds and another retries a moment later. None waits
  -- for the lock.
  if not pg_try_advisory_xact_lock(hashtextextended('callbacks ' || account || ' ' || host, 0)) then
    perform graphile_worker.add_job(
      'send-callback', json_build_object('accountId', account, 'receiver', host),
      run_at := clock_timestamp() + interval '50 milliseconds', job_key := 'callbacks busy ' || account || ' ' || host);
    return;
  end if;
  select count(*) into in_flight from deliveries d
  where d.account_id = account and d.receiver = host and d.is_sending and d.due_at > clock_timestamp();

  update deliveries d set state = 'failed', is_sending = false, due_at = null, ended_at = clock_timestamp()
  where d.account_id = account and d.receiver = host and d.state = 'pending' and d.due_at <= clock_timestamp()
    and d.step >= max_steps;

  select count(*) into wanted from (
    select from deliveries d
    where d.account_id = account and d.receiver = host and d.state = 'pending' and d.due_at <= clock_timestamp()
    limit greatest(0, max - in_flight)
  ) due;
  select * into calls from count_calls(host, wanted);
  if calls.again_at is not null then
    update deliveries d set due_at = calls.again_at, is_sending = false
    where d.account_id = account and d.receiver = host and d.state = 'pending' and d.due_at <= clock_timestamp();
  end if;

  return query
  with due as (
    select d.id from deliveries d
    where d.account_id = account and d.receiver = host and d.state = 'pending' and d.due_at <= clock_timestamp()
    order by d.due_at
    limit calls.allowed
    for update
  ), begun as (
    update deliveries d
    set tries = d.tries + 1, step = d.step + 1, is_sending = true, sender = by, due_at = clock_timestamp() + lease
    from due where d.account_id = account and d.id = due.id
    returning d.id, d.task_id, d.url, d.body, d.tries, d.step
  ), tried as (
    insert into delivery_tries (account_id, delivery_id, number, started_at)
    select account, b.id, b.tries, clock_timestamp() from begun b
  )
  select b.id, b.task_id, b.url, b.body, b.tries, b.step from begun b;

  perform queue_next_attempt(account, host, max);
end $$;
