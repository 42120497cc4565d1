-- Returns the time up to which the counters of a key count after a change at `at`.
create function later_count(counted_at timestamptz, at timestamptz)
returns timestamptz language sql stable parallel safe as $$
  select case when counted_at <= at + interval '1 hour' then greatest(counted_at, at) else at end
$$;
