-- Returns the amount that a key has spent in the window of its reset interval that contains `at`, from its counters.
-- Counters from more than one hour in the future were counted while the server's clock was wrong, and are ignored.
create function spent_in_window(
  reset_interval text, counted_at timestamptz, day_spent bigint, week_spent bigint, month_spent bigint, total bigint,
  at timestamptz
) returns bigint language sql immutable parallel safe as $$
  select case when reset_interval <> 'none' and counted_at > at + interval '1 hour' then 0 else case reset_interval
    when 'daily' then case when counted_at >= date_trunc('day', at, 'UTC') then day_spent else 0 end
    when 'weekly' then case when counted_at >= date_trunc('week', at, 'UTC') then week_spent else 0 end
    when 'monthly' then case when counted_at >= date_trunc('month', at, 'UTC') then month_spent else 0 end
    else total
  end end
$$;
