-- Returns an ID in the format of platform/ids.ts: the prefix and 32 hex digits. 15 digits are the time in units of
-- 1/4096 ms, around the UUID version; the others are random.
create function new_id(prefix text) returns text language sql volatile as $$
  select prefix || lpad(to_hex(floor(ms)::bigint), 12, '0') || '7'
    || lpad(to_hex(floor((ms - floor(ms)) * 4096)::int), 3, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 17)
  from (select extract(epoch from clock_timestamp()) * 1000 as ms) now
$$;
