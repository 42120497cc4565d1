-- Returns the place of a value of a label (usage_values) within an account and day, and assigns the next place to a new
-- value. Returns `-1 - number` of the label if 1,000 places are assigned, and 0 if 100 keys of metadata are numbered
-- and this is another one, so that clients with invented values or keys cannot create unlimited rows. The caller has
-- locked the account.
create function usage_place(account uuid, on_day date, label text, value text) returns integer language plpgsql
set enable_seqscan = off -- also while the statistics still report an empty table
as $$
declare
  own_place integer;
  own_number integer;
  taken integer;
begin
  select v.place into own_place from usage_values v
  where v.account_id = account and v.day = on_day and v.label = usage_place.label and v.value = usage_place.value;
  if found then return own_place; end if;

  select l.number, l.value_count into own_number, taken from usage_labels l
  where l.account_id = account and l.day = on_day and l.label = usage_place.label;
  if not found then
    select case when usage_place.label = '' then 0 else coalesce(max(l.number), 0) + 1 end, 0 into own_number, taken
    from usage_labels l where l.account_id = account and l.day = on_day;
    if own_number > 100 then return 0; end if;
    insert into usage_labels (account_id, day, label, number, value_count) values (account, on_day, label, own_number, 0);
  end if;
  if taken >= 1000 then return -1 - own_number; end if;
  update usage_labels l set value_count = taken + 1
  where l.account_id = account and l.day = on_day and l.label = usage_place.label;
  own_place := 1000 * own_number + taken + 1;
  insert into usage_values (account_id, day, label, value, place) values (account, on_day, label, value, own_place);
  return own_place;
end $$;
