-- Returns 0 and the place of each pair of a request's metadata, which is in the format of
-- domain/logs/request-metadata.ts. The caller has locked the account.
create function metadata_places(account uuid, on_day date, metadata text) returns integer[] language plpgsql as $$
begin
  if metadata is null then return array[0]; end if;
  return array(
    select 0
    union
    select usage_place(account, on_day, p.key, p.value) from json_to_recordset(metadata::json) p (key text, value text));
end $$;
