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
  -- The key with which the console's playground calls models. It has no text, so its HMAC matches none.
  is_playground boolean not null default false,
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
-- An account has at most one key of the playground that is not revoked.
create unique index api_keys_playground on api_keys (account_id, revoked_at) nulls not distinct where is_playground;
-- Lists and counts read only keys that are not revoked.
create index api_keys_not_revoked on api_keys (account_id, created_at desc, id desc) where revoked_at is null;

-- A revoked key may have been stolen: its open invitations are revoked with it.
create function revoke_invitations_of_key() returns trigger language plpgsql as $$
begin
  delete from invitations where account_id = new.account_id and invited_by_key = new.id;
  return null;
end $$;
create trigger key_revoked after update of revoked_at on api_keys for each row
  when (new.revoked_at is not null and new.is_provisioning) execute function revoke_invitations_of_key();

-- The pepper of the API keys, as an HMAC of a constant: a process with another KEY_PEPPER does not start. `kept_value`
-- is the same HMAC of the previous pepper, while keys without a sealed text still need it.
create table pepper (
  is_only boolean primary key default true check (is_only),
  check_value bytea not null,
  kept_value bytea
);
