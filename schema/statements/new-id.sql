-- An id as processes make them (platform/ids.ts): the prefix and 32 hex digits, of which 15 are the time to a 4096th of a
-- millisecond, around the version of UUIDs, and the rest is unguessable.
create function new_id(prefix text) returns text language sql volatile as $$
  select prefix || lpad(to_hex(floor(ms)::bigint), 12, '0') || '7'
    || lpad(to_hex(floor((ms - floor(ms)) * 4096)::int), 3, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 17)
  from (select extract(epoch from clock_timestamp()) * 1000 as ms) now
$$;
