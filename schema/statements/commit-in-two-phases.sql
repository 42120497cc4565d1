-- Makes Citus commit the transaction in two phases, even if its journal rows are on one worker node. Otherwise, Citus commits on
-- that node before it commits on the coordinator, and a crash between the two leaves journal rows without their charges. Called
-- by each function that writes journal rows, if it runs on Citus.
--
-- Citus commits in two phases after each statement that can change a table that it manages on the coordinator.
-- `npm run distribute` makes two_phase_commits such a table. It is always empty, so no transaction waits for another one. The
-- lock lasts until the second phase has ended (await_second_phases).
create function commit_in_two_phases() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('two_phase_commits'));
  delete from two_phase_commits;
end $$;
