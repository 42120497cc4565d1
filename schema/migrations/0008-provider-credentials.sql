-- The account's own credentials for vendors (BYOK). Secrets are sealed: the key of its own, and those that the
-- configuration carries, which stand as *** in `config`.

create table provider_credentials (
  account_id uuid not null references accounts (id),
  id uuid not null,
  provider text not null,
  label text not null,
  api_key_sealed bytea,
  api_key_prefix text not null,
  base_url text,
  config jsonb,
  config_secrets_sealed bytea,
  always_use boolean not null default false,
  disabled boolean not null default false,
  priority integer not null default 0,
  last_used_at timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (account_id, id)
);

-- Grows with every change of the account's credentials, zero where there never was one: copies of keys carry it, so
-- that whoever holds a copy of the credentials can tell whether it is the latest.
alter table accounts add column byok_revision bigint not null default 0;
