-- Returns what a process needs to know about keys (domain/keys/key-cache.ts), found by their public IDs. Unknown IDs are
-- missing in the result.
--
-- It is planned once. Without this function, Postgres plans the statement again for each read, because a plan for one key
-- looks cheaper than a plan for any number. Planning takes longer than the read. `= any (array[…])` without sequential scans
-- finds each row by an index, also with a plan that was made while the tables were small.
create function read_keys(public_ids text[])
returns table (
  account_id uuid, id uuid, public_id text, key_hmac bytea, previous_hmac bytea, previous_ends_in_ms float8,
  owner_id text, is_provisioning boolean, scopes text[], disabled boolean, is_revoked boolean, account_refusal text,
  expires_in_ms float8, ip_whitelist text[], allowed_models text[], allowed_vendors text[],
  rate_limit_rpm bigint, rate_limit_tph bigint, rate_limit_tpd bigint, allowances jsonb, is_paying boolean,
  byok_revision bigint, budget_revision bigint, has_credits boolean, is_confirmed boolean, revision bigint
)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
  select k.account_id, k.id, k.public_id, k.key_hmac, k.previous_hmac,
    (extract(epoch from k.previous_ends_at - clock_timestamp()) * 1000)::float8,
    k.created_by, k.is_provisioning, k.scopes, k.disabled, k.revoked_at is not null,
    account_refusal(a.suspended_at, a.closed_at),
    (extract(epoch from k.expires_at - clock_timestamp()) * 1000)::float8,
    k.ip_whitelist, k.allowed_models, k.allowed_vendors, k.rate_limit_rpm, k.rate_limit_tph, k.rate_limit_tpd,
    a.allowances, coalesce(b.paid_nanos > 0, false), a.byok_revision, a.budget_revision,
    coalesce(b.credits_nanos > 0, false),
    coalesce((
      select bool_or(u.email_confirmed_at is not null)
      from memberships m join users u on u.id = any (array[m.user_id])
      where m.account_id = any (array[k.account_id])
    ), true),
    k.revision
  from api_keys k
  join accounts a on a.id = any (array[k.account_id])
  left join balances b on b.account_id = any (array[k.account_id])
  where k.public_id = any (public_ids);
end $$;
