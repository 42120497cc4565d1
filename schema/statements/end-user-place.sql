-- Returns the number of an end user within an account and day, and assigns the next number to a new name. Returns 0
-- without a name, and -1 if 1,000 numbers are assigned, so that clients with invented names cannot create unlimited
-- rows. The row of the empty name stores how many numbers are assigned. The caller has locked the account.
create function end_user_place(account uuid, on_day date, name text) returns integer language plpgsql
set enable_seqscan = off -- also while the statistics still report an empty table
as $$
declare
  own_place integer;
  taken integer;
begin
  if name is null or name = '' then return 0; end if;
  select u.place into own_place from usage_end_users u
  where u.account_id = account and u.day = on_day and u.end_user = name;
  if found then return own_place; end if;

  select u.place into taken from usage_end_users u
  where u.account_id = account and u.day = on_day and u.end_user = '';
  if taken >= 1000 then return -1; end if;
  own_place := coalesce(taken, 0) + 1;
  insert into usage_end_users (account_id, day, end_user, place) values (account, on_day, '', own_place)
  on conflict on constraint usage_end_users_pkey do update set place = excluded.place;
  insert into usage_end_users (account_id, day, end_user, place) values (account, on_day, name, own_place);
  return own_place;
end $$;
