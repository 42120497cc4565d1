-- Accounts, the people who log in to them, and their sessions.

create table accounts (
  id uuid primary key,
  name text not null,
  -- Its own share of new requests per API key and window; null is the platform's setting.
  rate_requests integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table users (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  email text not null,
  name text not null,
  password_hash text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index users_email on users (lower(email));
create index users_account on users (account_id);

-- One row a refresh token; a family is one log-in. A token used twice revokes its family.
create table refresh_tokens (
  id uuid primary key,
  family_id uuid not null,
  account_id uuid not null,
  user_id uuid not null references users (id),
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz
);
create index refresh_tokens_family on refresh_tokens (family_id);

-- Keys that sign session tokens; the private half is encrypted.
create table signing_keys (
  id text primary key,
  public_jwk jsonb not null,
  private_jwk_sealed bytea not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);
