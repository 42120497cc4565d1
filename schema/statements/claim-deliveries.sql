-- Begins the tries of what is due at one receiver of an account, oldest first, so many that at most `most` run at once.
-- A try that has not ended within `lease` counts as lost, and its delivery is due again; after `most_steps` lost ones it
-- has failed.
create function claim_deliveries(account uuid, host text, most integer, most_steps integer, lease interval, by text)
returns table (id text, task_id text, url text, body text, number integer, step integer) language plpgsql as $$
#variable_conflict use_column
declare
  in_flight integer;
begin
  -- Of many that look at one receiver at once one does, and one more looks a moment later: nobody waits.
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
    and d.step >= most_steps;

  return query
  with due as (
    select d.id from deliveries d
    where d.account_id = account and d.receiver = host and d.state = 'pending' and d.due_at <= clock_timestamp()
    order by d.due_at
    limit greatest(0, most - in_flight)
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

  perform look_again(account, host, most);
end $$;
