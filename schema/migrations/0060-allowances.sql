-- What an account may use, where an operator changed it: a number for each resource of schema/allowances.ts.
alter table accounts add column allowances jsonb not null default '{}';
update accounts set allowances = jsonb_build_object('key_requests', rate_requests) where rate_requests is not null;
alter table accounts drop column rate_requests;

-- Money that the account brought in: top-ups and grants, less refunds and disputes. Above zero it is a paying account.
alter table balances add column paid_nanos bigint not null default 0;
update balances b set paid_nanos = t.paid
from (
  select account_id, sum(credits_nanos) as paid from transactions
  where payment_method not in ('usage', 'refund')
  group by account_id
) t
where t.account_id = b.account_id;
