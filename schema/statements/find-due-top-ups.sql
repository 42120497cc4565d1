-- Allows automatic top-ups whose delay has passed, and requests those whose job was lost: the mark starts them if the
-- available amount is below the threshold. Adds jobs for top-ups in progress that were not checked for a minute. Returns
-- the number of accounts.
create function find_due_top_ups(most integer) returns integer language plpgsql as $$
declare
  account uuid;
  done integer := 0;
begin
  for account in
    select a.account_id from automatic_top_ups a join balances b on b.account_id = a.account_id
    where a.is_on and (a.retry_at is null or a.retry_at <= now()) and b.tops_up_below_nanos is null
      and exists (select from saved_cards m where m.account_id = a.account_id and m.removed_at is null)
      and not exists (
        select from payments p where p.account_id = a.account_id and p.kind = 'automatic' and p.status = 'pending')
      and not exists (select from accounts c where c.id = a.account_id and account_refusal(c.suspended_at, c.closed_at) is not null)
    order by a.account_id limit most
  loop
    perform from balances b where b.account_id = account for no key update;
    update automatic_top_ups a set retry_at = null where a.account_id = account and a.retry_at <= now();
    perform mark_automatic_top_up(account);
    done := done + 1;
  end loop;
  for account in
    select p.account_id from payments p
    where p.kind = 'automatic' and p.status = 'pending' and p.called_at < now() - interval '1 minute'
    order by p.called_at limit most
  loop
    perform graphile_worker.add_job('top-up-automatically', json_build_object('accountId', account),
      job_key := 'top-up-automatically:' || account, job_key_mode := 'unsafe_dedupe');
    done := done + 1;
  end loop;
  return done;
end $$;
