-- Queues a delivery to a URL of the account, in the transaction of its event. Nothing is queued if a delivery of that
-- ID or of that task exists. If the body is null, it is created from the task. Returns whether the delivery was queued.
create function queue_delivery(account uuid, delivery text, event_name text, address text, content text, task text default null)
returns boolean language plpgsql as $$
declare
  host text := lower(coalesce(substring(address from '^https?://([^/?#]+)'), ''));
begin
  insert into deliveries (account_id, id, event, task_id, url, receiver, body, due_at)
  values (account, delivery, event_name, task, address, host, content, clock_timestamp())
  on conflict do nothing;
  if not found then return false; end if;
  perform graphile_worker.add_job('send-callback', json_build_object('accountId', account, 'receiver', host));
  return true;
end $$;
