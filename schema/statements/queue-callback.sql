-- Queues the callback of a task that has ended, if it was submitted with a callback_url. Called by finish_task, in its
-- transaction.
create function queue_callback(account uuid, task text) returns void language plpgsql as $$
declare
  ended record;
begin
  select callback_url, status into ended from tasks where account_id = account and id = task;
  if ended.callback_url is null then return; end if;
  perform queue_delivery(
    account,
    'msg_' || replace(gen_random_uuid()::text, '-', ''),
    case ended.status when 'success' then 'task.completed' else 'task.failed' end,
    ended.callback_url,
    null,
    task);
end $$;
