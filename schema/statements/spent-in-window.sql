-- Returns the amount that a key has spent in the window of its reset interval that contains `at`, from its counters.
create function spent_in_window(
  reset_interval text, counted_at timestamptz, day_spent bigint, week_spent bigint, month_spent bigint, total bigint,
  at timestamptz
) returns bigint language sql stable parallel safe as $$
  select case reset_interval
    when 'daily' then counted_since(date_trunc('day', at, 'UTC'), day_spent, counted_at, at)
    when 'weekly' then counted_since(date_trunc('week', at, 'UTC'), week_spent, counted_at, at)
    when 'monthly' then counted_since(date_trunc('month', at, 'UTC'), month_spent, counted_at, at)
    else total
  end
$$;
