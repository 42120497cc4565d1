-- The place of an end user among those of an account on a day; takes the next one for a name that is new. 0 where there
-- is no name, -1 where the thousand places are taken: a client that makes names up makes no rows without end. How many
-- are taken is the place of the empty name. The account is locked by the caller.
create function end_user_place(account uuid, on_day date, name text) returns integer language plpgsql
set enable_seqscan = off -- also while statistics still say that the table is empty
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
