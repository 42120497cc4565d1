-- Returns a row of the request log as of the start of the calling statement, because stable functions do not see later
-- changes. This is a separate function because a plan with all partitions of the log would slow down each batch, and
-- few batches need such a row.
create function logged_before(account uuid, arrived_at timestamptz, request text) returns request_logs
language plpgsql stable set plan_cache_mode = auto as $$
declare
  logged request_logs;
begin
  select l.* into logged from request_logs l
  where l.account_id = account and l.created_at = arrived_at and l.id = request;
  return logged;
end $$;
