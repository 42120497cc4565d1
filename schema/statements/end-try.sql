-- Records the end of an attempt. `outcome` is the delivery's new state, `wait` the time until the next attempt if it
-- stays pending. If the attempt counted as lost before, it is recorded and changes nothing else, because the delivery
-- belongs to another attempt. Returns whether the delivery still belonged to this attempt.
create function end_try(
  account uuid, host text, delivery text, try_number integer, took_ms integer, answered_status integer, fault text,
  answered text, outcome text, wait interval, max integer
) returns boolean language plpgsql as $$
declare
  was_ours boolean;
begin
  perform pg_advisory_xact_lock(hashtextextended('callbacks ' || account || ' ' || host, 0));
  update delivery_tries
  set duration_ms = took_ms, status = answered_status, error = fault, answer = answered
  where account_id = account and delivery_id = delivery and number = try_number;

  update deliveries
  set state = outcome, is_sending = false,
    due_at = case outcome when 'pending' then clock_timestamp() + wait end,
    ended_at = case outcome when 'pending' then null else clock_timestamp() end
  where account_id = account and id = delivery and tries = try_number and is_sending;
  was_ours := found;
  if outcome = 'delivered' then
    update receivers r set proven_at = clock_timestamp()
    where r.host = regexp_replace(end_try.host, '\.?(:[0-9]+)?$', '') and r.proven_at is null;
  end if;
  perform queue_next_attempt(account, host, max);
  return was_ours;
end $$;
