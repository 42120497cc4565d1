-- Counts calls to a receiver that never answered 2xx: at most 30 per hour and host, over all accounts and ports. Returns
-- how many of `wanted` are allowed, and `again_at` if that is none. A receiver that has answered 2xx gets all of them.
create function count_calls(receiver text, wanted integer, out allowed integer, out again_at timestamptz)
language plpgsql as $$
#variable_conflict use_variable
declare
  at timestamptz;
  name text := regexp_replace(receiver, '\.?(:[0-9]+)?$', '');
  known receivers;
begin
  allowed := wanted;
  select * into known from receivers r where r.host = name;
  if known.proven_at is not null or wanted <= 0 then return; end if;

  insert into receivers (host) values (name) on conflict do nothing;
  select * into known from receivers r where r.host = name for no key update;
  -- Read after the lock: another call may have begun the hour while this one waited.
  at := clock_timestamp();
  if known.hour_at not between at - interval '1 hour' and at then
    known.calls := 0;
    known.hour_at := at;
  end if;
  allowed := least(wanted, greatest(0, 30 - known.calls));
  if allowed = 0 then
    again_at := known.hour_at + interval '1 hour';
  end if;
  update receivers r set calls = known.calls + allowed, hour_at = known.hour_at where r.host = name;
end $$;
