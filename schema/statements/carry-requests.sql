-- Writes requests of the main database into the request log of this log database, replaces rows that differ, and counts
-- the differences in the usage counters. Repeating it changes nothing. Returns the number of rows that were written.
-- `requests` is a JSON array of rows of request_logs, each request once. The caller has locked the carrying
-- (domain/logs/carry-requests.ts).
--
-- Postgres keeps a plan that it made while the table was small, which would read the whole table later.
create function carry_requests(requests json) returns integer language plpgsql set enable_seqscan = off as $$
declare
  given request_logs[];
  before request_logs[];
  u record;
  written integer;
begin
  select array_agg(g) into given from json_populate_recordset(null::request_logs, requests) g;
  select array_agg(b) into before
  from unnest(given) g cross join lateral (
    select * from request_logs l where l.account_id = g.account_id and l.created_at = g.created_at and l.id = g.id offset 0
  ) b;

  insert into request_logs as l select g.* from unnest(given) g
  on conflict (account_id, created_at, id) do update set
    api_key_id = excluded.api_key_id, route = excluded.route, model = excluded.model,
    answered_by = excluded.answered_by, vendor = excluded.vendor, byok_id = excluded.byok_id,
    streamed = excluded.streamed, status = excluded.status, error_code = excluded.error_code,
    prompt_tokens = excluded.prompt_tokens, cached_tokens = excluded.cached_tokens,
    cache_creation_tokens = excluded.cache_creation_tokens, completion_tokens = excluded.completion_tokens,
    reasoning_tokens = excluded.reasoning_tokens, usage_estimated = excluded.usage_estimated,
    cost_nanos = excluded.cost_nanos, cost_terms = excluded.cost_terms, end_user = excluded.end_user,
    client_address = excluded.client_address, upstream_request_id = excluded.upstream_request_id,
    first_byte_ms = excluded.first_byte_ms, duration_ms = excluded.duration_ms, attempts = excluded.attempts,
    metadata = excluded.metadata
    where l is distinct from excluded;
  get diagnostics written = row_count;
  if written = 0 then return 0; end if;

  for u in
    select c.account_id, (c.created_at at time zone 'UTC')::date as day, c.api_key_id, c.model, c.end_user, c.metadata,
      sum(c.sign)::integer as requests,
      coalesce(sum(c.sign) filter (where c.status >= 400 and c.status <> 499), 0)::integer as failed,
      sum(c.sign * c.prompt_tokens)::bigint as prompt, sum(c.sign * c.cached_tokens)::bigint as cached,
      sum(c.sign * c.cache_creation_tokens)::bigint as cache_creation,
      sum(c.sign * c.completion_tokens)::bigint as completion, sum(c.sign * c.reasoning_tokens)::bigint as reasoning,
      sum(c.sign * c.cost_nanos)::bigint as cost
    from (select 1 as sign, g.* from unnest(given) g union all select -1, b.* from unnest(before) b) c
    group by 1, 2, 3, 4, 5, 6
  loop
    continue when u.requests = 0 and u.failed = 0 and u.prompt = 0 and u.cached = 0 and u.cache_creation = 0
      and u.completion = 0 and u.reasoning = 0 and u.cost = 0;
    perform count_usage(
      u.account_id, u.day::timestamp at time zone 'UTC', u.api_key_id, u.model, u.end_user, u.metadata, u.requests,
      u.failed, u.prompt, u.cached, u.cache_creation, u.completion, u.reasoning, u.cost);
  end loop;
  return written;
end $$;
