-- Changes the credits of an account and adds a transaction with the reason, once per source: if the source is known,
-- nothing changes. With `within_available`, a debit that exceeds the available amount is refused.
-- Every change of credits except charges of requests and tasks goes through this function. `paid_nanos` sums these
-- changes, except trial credits, and decides the account's tier (domain/allowances). Unless the debit is refused, the row
-- `action_id` of the audit log, if there is one, becomes done. Returns:
--
--   state           `entered`, `known`, or `short` if the debit exceeds the available amount
--   transaction_id  the transaction of the source; null if short
--   entered_nanos   the amount that is stored for the source
--   credits, held   the balance afterwards
create function change_credits(
  account uuid, change_source text, amount bigint, method text, why text, within_available boolean,
  action_id text default null
) returns table (state text, transaction_id text, entered_nanos bigint, credits bigint, held bigint)
language plpgsql set enable_seqscan = off as $$
begin
  insert into balances (account_id) values (account) on conflict do nothing;
  perform 1 from balances b where b.account_id = account for no key update;
  if runs_on_citus() then perform await_second_phases(); end if;
  perform post_accounts(array[account]);
  select b.credits_nanos, b.held_nanos into credits, held from balances b where b.account_id = account;

  select t.id, t.credits_nanos into transaction_id, entered_nanos from transactions t
  where t.account_id = account and t.source = change_source and t.payment_method <> 'usage';
  if found then
    state := 'known';
  elsif within_available and amount < 0 and credits - held + amount < 0 then
    state := 'short';
  else
    state := 'entered';
    transaction_id := new_id('txn_');
    entered_nanos := amount;
    credits := credits + amount;
    if runs_on_citus() then perform commit_in_two_phases(); end if;
    insert into transactions (account_id, id, source, credits_nanos, payment_method, status, reason, created_at)
    values (account, transaction_id, change_source, amount, method, 'completed', why, clock_timestamp());
    update balances b set credits_nanos = credits,
      paid_nanos = b.paid_nanos + case when method = 'trial' then 0 else amount end
    where b.account_id = account;
  end if;
  if action_id is not null and state <> 'short' then
    update audit_log a set state = 'done', target_type = 'Transaction', target_id = transaction_id
    where a.account_id = account and a.id = action_id;
  end if;
  return next;
end $$;
