-- Adds the job that tops up an account, if its available amount is below the threshold. Further charges request no
-- second job: the mark is removed until the job has run. Called by a trigger, with the balance locked.
create function request_automatic_top_up(account uuid) returns void language plpgsql as $$
begin
  update balances b set tops_up_below_nanos = null
  where b.account_id = account and account_available(account) < b.tops_up_below_nanos;
  if found then
    perform graphile_worker.add_job('top-up-automatically', json_build_object('accountId', account),
      job_key := 'top-up-automatically:' || account, job_key_mode := 'unsafe_dedupe');
  end if;
end $$;
