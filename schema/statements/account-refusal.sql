-- Returns the error with which the keys and sessions of an account are refused, or null.
create function account_refusal(suspended_at timestamptz, closed_at timestamptz) returns text
language sql immutable parallel safe as $$
  select case
    when closed_at is not null then 'account_closed'
    when suspended_at is not null then 'account_suspended'
  end
$$;
