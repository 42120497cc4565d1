-- Queues the job that sends what is due at a receiver, for when the next try may begin: when the next is due, or, while
-- `most` run, when the first of those counts as lost. One that ends calls this again. The caller has locked the
-- receiver.
create function look_again(account uuid, host text, most integer) returns void language plpgsql as $$
declare
  is_full boolean;
  next_at timestamptz;
begin
  select count(*) >= most into is_full from deliveries
  where account_id = account and receiver = host and is_sending and due_at > clock_timestamp();
  select min(due_at) into next_at from deliveries
  where account_id = account and receiver = host and state = 'pending' and (is_sending or not is_full);
  if next_at is null then return; end if;
  perform graphile_worker.add_job(
    'send-callback', json_build_object('accountId', account, 'receiver', host),
    run_at := greatest(next_at, clock_timestamp()), job_key := 'callbacks ' || account || ' ' || host);
end $$;
