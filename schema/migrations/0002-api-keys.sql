-- API keys. `revision` grows with every change: whoever holds a copy compares it.

create table api_keys (
  account_id uuid not null references accounts (id),
  id uuid not null,
  public_id text not null,
  name text not null,
  key_hmac bytea not null,
  key_prefix text not null,
  full_key_sealed bytea,
  ip_whitelist text[] not null default '{}',
  rate_limit_rpm bigint,
  rate_limit_tph bigint,
  rate_limit_tpd bigint,
  is_provisioning boolean not null default false,
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
create index api_keys_newest on api_keys (account_id, created_at desc, id desc);
