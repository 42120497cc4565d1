-- A row of the request log as it was when the statement that calls this began: stable functions see no more. A function
-- of its own, since a plan with the partitions of the log in it costs each batch, and few batches need one of its rows.
create function logged_before(account uuid, arrived_at timestamptz, request text) returns request_logs
language plpgsql stable as $$
declare
  logged request_logs;
begin
  select l.* into logged from request_logs l
  where l.account_id = account and l.created_at = arrived_at and l.id = request;
  return logged;
end $$;
