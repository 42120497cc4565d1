-- Returns the amount that a key has spent since the time `since`, when a day, week or month began: its counter, if the key
-- was counted since then. Counters from more than one hour after `at` were counted while the server's clock was wrong, and
-- are ignored.
create function counted_since(since timestamptz, counter bigint, counted_at timestamptz, at timestamptz)
returns bigint language sql stable parallel safe as $$
  select case when counted_at between since and at + interval '1 hour' then counter else 0 end
$$;
