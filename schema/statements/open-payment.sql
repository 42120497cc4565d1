-- Opens a top-up. If the idempotency key was used in the last day, returns the top-up of that time, regardless of the
-- amount. Returns nothing if `most_unpaid` top-ups of the last hour are unpaid.
create function open_payment(account uuid, amount bigint, key text, most_unpaid integer, saves boolean, resumes boolean)
returns setof payments language plpgsql as $$
declare
  unpaid integer;
begin
  update payments p set idempotency_key = null
  where p.account_id = account and p.idempotency_key = key and p.created_at < now() - interval '24 hours';
  select count(*) into unpaid from payments p
  where p.account_id = account and p.status = 'pending' and p.created_at > now() - interval '1 hour';
  return query
    insert into payments (account_id, id, amount_nanos, currency, idempotency_key, saves_card, resumes_automatic)
    select account, new_id('pay_'), amount, 'usd', key, saves, resumes where unpaid < most_unpaid
    on conflict (account_id, idempotency_key) where idempotency_key is not null do nothing
    returning *;
  if not found then
    return query select * from payments p where p.account_id = account and p.idempotency_key = key;
  end if;
end $$;
