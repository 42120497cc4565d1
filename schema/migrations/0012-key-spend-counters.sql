-- What a key has spent today, this week and this month (UTC; weeks begin on Monday), counted as requests settle: its
-- reset interval only says which of them is held against the cap, and another interval needs no log to be added up.
-- They are true of the day, week and month that `counted_at` lies in.
alter table key_budgets
  add column counted_at timestamptz not null default now(),
  add column day_spent_nanos bigint not null default 0,
  add column week_spent_nanos bigint not null default 0,
  add column month_spent_nanos bigint not null default 0;

update key_budgets k set day_spent_nanos = s.day, week_spent_nanos = s.week, month_spent_nanos = s.month
from (
  select account_id, api_key_id,
    coalesce(sum(cost_nanos) filter (where created_at >= date_trunc('day', now(), 'UTC')), 0)::bigint as day,
    coalesce(sum(cost_nanos) filter (where created_at >= date_trunc('week', now(), 'UTC')), 0)::bigint as week,
    coalesce(sum(cost_nanos) filter (where created_at >= date_trunc('month', now(), 'UTC')), 0)::bigint as month
  from request_logs
  where created_at >= least(date_trunc('week', now(), 'UTC'), date_trunc('month', now(), 'UTC'))
  group by account_id, api_key_id
) s
where k.account_id = s.account_id and k.key_id = s.api_key_id;

alter table key_budgets drop column period_start, drop column spent_nanos;
