-- Makes deliveries due if their sender is dead, and adds the jobs that send them. Returns the number of deliveries.
create function free_lost_tries() returns integer language plpgsql as $$
declare
  dead text[];
  freed integer;
begin
  select array_agg(owner) into dead
  from (select distinct sender as owner from deliveries where is_sending and sender is not null) senders
  where worker_is_dead(owner);
  if dead is null then return 0; end if;

  with lost as (
    update deliveries set is_sending = false, due_at = clock_timestamp()
    where is_sending and sender = any (dead)
    returning account_id, receiver
  ), woken as (
    select graphile_worker.add_job(
      'send-callback', json_build_object('accountId', account_id, 'receiver', receiver))
    from (select distinct account_id, receiver from lost) receivers
  )
  select count(*) into freed from lost where (select count(*) from woken) >= 0;
  return freed;
end $$;
