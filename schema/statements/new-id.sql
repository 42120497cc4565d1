-- An id as processes make them (platform/ids.ts): the prefix and 32 hex digits that begin with the time, unguessable.
create function new_id(prefix text) returns text language sql volatile as $$
  select prefix || lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
    || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14)
$$;
