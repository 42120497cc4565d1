-- The accounts' own credentials for vendors (BYOK). Secrets are encrypted: the API key, and the secret values of the
-- configuration, which `config` shows as ***.

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
