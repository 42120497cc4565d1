-- On Citus, waits for transactions that have committed on the coordinator and not yet on the worker nodes. Until then, their
-- journal rows are not visible, although their locks on rows of the coordinator are released. Called by each function that reads
-- the journal of an account that it has locked. Waits only for transactions that run commit_in_two_phases.
create function await_second_phases() returns void language plpgsql as $$
begin
  perform pg_advisory_lock(hashtext('two_phase_commits'));
  perform pg_advisory_unlock(hashtext('two_phase_commits'));
end $$;
