-- Releases the holds of unknown processes on these accounts, and posts what they have collected. The caller has locked the
-- accounts. Returns the number of released holds. A hold without a task is of a process. `process_id is not null` would let
-- Postgres read the whole index of processes.
create function release_holds(accounts uuid[]) returns integer language plpgsql as $$
declare
  gone holds[];
begin
  with deleted as (
    delete from holds h
    where h.account_id = any (accounts) and h.task_id is null
      and not exists (select from processes p where p.id = h.process_id)
    -- The rest of the amount is posted as a decrease.
    returning jsonb_populate_record(h, jsonb_build_object(
      'unposted_held_nanos', h.unposted_held_nanos + h.amount_nanos,
      'unposted_day', coalesce(h.unposted_day, (clock_timestamp() at time zone 'UTC')::date))) as h
  )
  select array_agg(h) into gone from deleted;
  if gone is null then return 0; end if;
  perform post_sums(gone);
  return cardinality(gone);
end $$;
