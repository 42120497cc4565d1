-- Locks accounts, the budgets of their keys that a flush will change, and their other budgets, without waiting. Returns
-- the accounts that other transactions have locked.
create function busy_accounts(accounts uuid[], charges charge[], targets hold_target[], asks hold_ask[])
returns uuid[] language plpgsql as $$
declare
  balances_locked uuid[];
  keys uuid[];
  keys_locked uuid[];
  budgets_locked uuid[];
begin
  balances_locked := array(
    select b.account_id from balances b where b.account_id = any (accounts)
    order by b.account_id for no key update skip locked);
  keys := array(
    select c.api_key_id from unnest(charges) c where c.account_id = any (balances_locked)
    union select a.key_id from unnest(asks) a where a.account_id = any (balances_locked)
    union select h.key_id from unnest(targets) t
      cross join lateral (
        select f.key_id from holds f where f.account_id = t.account_id and f.id = t.hold_id offset 0
      ) h
    where t.account_id = any (balances_locked));
  keys_locked := array(
    select k.key_id from key_budgets k where k.account_id = any (balances_locked) and k.key_id = any (keys)
    order by k.account_id, k.key_id for no key update skip locked);
  budgets_locked := array(
    select g.id from budgets g where g.account_id = any (balances_locked)
    order by g.account_id, g.id for no key update skip locked);
  return array(
    select b.account_id from balances b
    where b.account_id = any (accounts) and b.account_id <> all (balances_locked)
    union
    select k.account_id from key_budgets k
    where k.account_id = any (balances_locked) and k.key_id = any (keys) and k.key_id <> all (keys_locked)
    union
    select g.account_id from budgets g where g.account_id = any (balances_locked) and g.id <> all (budgets_locked));
end $$;
