-- Usage, counted when requests settle: one row for each UTC day, key, model and end user of an account. Each column is
-- the sum over the rows of request_logs that arrived on that day; both are deleted after two months. Requests without a
-- model count under ''. A request counts as failed if its client received an error; if its client left (499), it does
-- not.
--
-- `end_user_place` is the end user's place in usage_end_users, 0 for the total of the day, key and model, and -1 for all
-- end users after the first thousand. The requests without an end user are the difference between the total and the rest.

create table usage_counters (
  account_id uuid not null,
  day date not null,
  api_key_id uuid not null,
  model text not null,
  end_user_place integer not null,
  requests bigint not null,
  failed_requests bigint not null,
  prompt_tokens bigint not null,
  cached_tokens bigint not null,
  cache_creation_tokens bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens bigint not null,
  cost_nanos bigint not null,
  primary key (account_id, day, api_key_id, model, end_user_place)
) partition by list (end_user_place);

-- The totals have a partition of their own: usage by day, key or model reads a few pages of it.
create table usage_totals partition of usage_counters for values in (0) with (fillfactor = 50);
create table usage_by_end_user partition of usage_counters default with (fillfactor = 50);
create index usage_totals_day on usage_totals (day);
create index usage_by_end_user_day on usage_by_end_user (day);

-- The first thousand end users of an account on a day, each with its place. The row of the empty name has the last place
-- that is used.
create table usage_end_users (
  account_id uuid not null,
  day date not null,
  end_user text not null,
  place integer not null,
  primary key (account_id, day, end_user)
) with (fillfactor = 50);
create index usage_end_users_day on usage_end_users (day);
