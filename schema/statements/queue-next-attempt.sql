-- Queues the job that sends due deliveries to a receiver, for the time at which the next attempt may begin: when the
-- next delivery is due or, while `max` attempts run, when the first of them counts as lost. Every attempt that ends
-- calls this again. The caller has locked the receiver.
create function queue_next_attempt(account uuid, host text, max integer) returns void language plpgsql as $$
declare
  is_full boolean;
  next_at timestamptz;
begin
  select count(*) >= max into is_full from deliveries
  where account_id = account and receiver = host and is_sending and due_at > clock_timestamp();
  select min(due_at) into next_at from deliveries
  where account_id = account and receiver = host and state = 'pending' and (is_sending or not is_full);
  if next_at is null then return; end if;
  perform graphile_worker.add_job(
    'send-callback', json_build_object('accountId', account, 'receiver', host),
    run_at := greatest(next_at, clock_timestamp()), job_key := 'callbacks ' || account || ' ' || host);
end $$;
