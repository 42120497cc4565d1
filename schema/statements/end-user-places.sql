-- Returns 0 and, if a request names an end user, its place. The caller has locked the account.
create function end_user_places(account uuid, on_day date, end_user text) returns integer[] language plpgsql as $$
begin
  if end_user is null or end_user = '' then return array[0]; end if;
  return array[0, usage_place(account, on_day, '', end_user)];
end $$;
