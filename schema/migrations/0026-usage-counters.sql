-- Usage, counted as requests settle: a row for each UTC day, key, model and end user of an account. Every column is the
-- sum over the rows of request_logs that arrived on that day; both go after two months. What has no model counts under
-- ''. A request failed where its client was answered with an error; one whose client left (499) did not.
--
-- `end_user_place` is the end user's place among those of the account and day (usage_end_users), 0 where a request named
-- none, and -1 for all that come after the first thousand.
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
) with (fillfactor = 50);

-- The first thousand end users of an account on a day, each with its place. The empty name has the last place taken.
create table usage_end_users (
  account_id uuid not null,
  day date not null,
  end_user text not null,
  place integer not null,
  primary key (account_id, day, end_user)
) with (fillfactor = 50);

-- Says that a row replaced one of the same request that was logged before, at no cost.
alter table request_logs add column replaced boolean not null default false;

-- What is in the log already. Nothing settles meanwhile: it would be counted by nobody.
lock table request_logs in share mode;

insert into usage_end_users (account_id, day, end_user, place)
select account_id, day, end_user, place from (
  select account_id, day, end_user, row_number() over (partition by account_id, day order by since, end_user) as place
  from (
    select account_id, (created_at at time zone 'UTC')::date as day, end_user, min(created_at) as since
    from request_logs where end_user <> '' group by 1, 2, 3
  ) named
) placed
where place <= 1000;
insert into usage_end_users (account_id, day, end_user, place)
select account_id, day, '', max(place) from usage_end_users group by 1, 2;

insert into usage_counters (
  account_id, day, api_key_id, model, end_user_place, requests, failed_requests, prompt_tokens, cached_tokens,
  cache_creation_tokens, completion_tokens, reasoning_tokens, cost_nanos
)
select l.account_id, l.day, l.api_key_id, coalesce(l.model, ''),
  case when l.end_user <> '' then coalesce(u.place, -1) else 0 end,
  count(*), count(*) filter (where l.status >= 400 and l.status <> 499), sum(l.prompt_tokens), sum(l.cached_tokens),
  sum(l.cache_creation_tokens), sum(l.completion_tokens), sum(l.reasoning_tokens), sum(l.cost_nanos)
from (select r.*, (r.created_at at time zone 'UTC')::date as day from request_logs r) l
left join usage_end_users u on u.account_id = l.account_id and u.day = l.day and u.end_user = l.end_user
group by 1, 2, 3, 4, 5;
