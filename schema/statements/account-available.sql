-- Returns the credits of an account minus the amount that is reserved for work in progress. Headroom of processes counts
-- as available, as in the displayed balance.
create function account_available(account uuid) returns bigint language sql stable as $$
  select coalesce((select b.credits_nanos from current_balances b where b.account_id = account), 0)
    - coalesce((select sum(h.in_use_nanos) from holds h where h.account_id = account), 0)::bigint
$$;
