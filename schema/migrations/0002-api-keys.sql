-- API keys. `revision` grows with every change, so that a process can compare its copy.

create table api_keys (
  account_id uuid not null references accounts (id),
  id uuid not null,
  public_id text not null,
  name text not null,
  key_hmac bytea not null,
  key_prefix text not null,
  full_key_sealed bytea,
  -- The secret before the last roll, which is valid until `previous_ends_at`.
  previous_hmac bytea,
  previous_key_sealed bytea,
  previous_ends_at timestamptz,
  ip_whitelist text[] not null default '{}',
  allowed_models text[] not null default '{}',
  allowed_vendors text[] not null default '{}',
  rate_limit_rpm bigint,
  rate_limit_tph bigint,
  rate_limit_tpd bigint,
  is_provisioning boolean not null default false,
  scopes text[] not null default '{}', -- of a provisioning key; empty for ordinary keys
  disabled boolean not null default false,
  created_by text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  revision bigint not null default 1,
  primary key (account_id, id)
);
create unique index api_keys_public_id on api_keys (public_id);
-- Lists and counts read only keys that are not revoked.
create index api_keys_not_revoked on api_keys (account_id, created_at desc, id desc) where revoked_at is null;

-- The pepper of the API keys, as an HMAC of a constant: a process with another KEY_PEPPER does not start. `kept_value`
-- is the same HMAC of the previous pepper, while keys without a sealed text still need it.
create table pepper (
  is_only boolean primary key default true check (is_only),
  check_value bytea not null,
  kept_value bytea
);
