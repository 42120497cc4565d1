-- Makes a delivery due now and restarts its schedule, with a job that sends it. Nothing changes for a delivery that is
-- being sent, or that has had `most_tries` attempts. Returns its previous state, or null if it does not exist.
create function send_again(account uuid, delivery text, most_tries integer)
returns table (was_state text, was_sending boolean, had_tries integer) language plpgsql as $$
declare
  found_one deliveries;
begin
  select * into found_one from deliveries where account_id = account and id = delivery for no key update;
  if not found then return; end if;
  if not found_one.is_sending and found_one.tries < most_tries then
    update deliveries set state = 'pending', step = 0, due_at = clock_timestamp(), ended_at = null
    where account_id = account and id = delivery;
    perform graphile_worker.add_job(
      'send-callback', json_build_object('accountId', account, 'receiver', found_one.receiver));
  end if;
  return query select found_one.state, found_one.is_sending, found_one.tries;
end $$;
