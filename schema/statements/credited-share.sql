-- Returns the part of a refund or dispute that is taken from the credits: the share of the credits in the paid amount,
-- which includes the tax. Rounds down to a nano-dollar. The whole amount without tax.
create function credited_share(reversed bigint, credited bigint, tax bigint) returns bigint language sql immutable as $$
  select case when coalesce(tax, 0) = 0 then reversed
    else div(reversed::numeric * credited, credited + tax)::bigint end
$$;
