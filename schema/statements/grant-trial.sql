-- Grants the trial credit to the oldest account that a user owns, unless the person has received it before. `people` are
-- the person's HMACs with each valid pepper; the first one is stored. Returns the account, or null if nothing is granted.
create function grant_trial(its_user uuid, people text[], amount bigint) returns uuid language plpgsql as $$
declare
  account uuid;
begin
  select m.account_id into account from memberships m join accounts a on a.id = m.account_id
  where m.user_id = its_user and m.role = 'owner' and account_refusal(a.suspended_at, a.closed_at) is null
  order by m.created_at, m.account_id limit 1;
  if account is null or exists (select from trial_grants t where t.person = any (people)) then return null; end if;
  insert into trial_grants (person) values (people[1]) on conflict do nothing;
  if not found then return null; end if;
  perform change_credits(account, 'trial', amount, 'trial', null, false);
  return account;
end $$;
