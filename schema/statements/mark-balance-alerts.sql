-- Stores with the balance the credits at which an alert of the account fires or is armed. Charges compare with these
-- amounts. The caller has locked the account.
create function mark_balance_alerts(account uuid) returns void language sql as $$
  update balances b set fires_below_nanos = a.fires_below, arms_from_nanos = a.arms_from
  from (
    select max(threshold_nanos) filter (where armed) as fires_below,
      min(threshold_nanos) filter (where not armed) as arms_from
    from balance_alerts where account_id = account
  ) a
  where b.account_id = account
$$;
