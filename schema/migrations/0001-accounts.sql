-- Accounts, the people who are members of them, and their sessions.

-- The index of names and addresses by every three characters, for the operators' search.
create extension if not exists pg_trgm;

create table accounts (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Grows with every change of the account's own credentials; 0 if it never had one. Copies of keys carry it, so that a
  -- process can tell whether its copy of the credentials is the latest.
  byok_revision bigint not null default 0,
  -- The same for the account's budgets: grows when one is created or deleted.
  budget_revision bigint not null default 0,
  -- Limits that an operator changed: a number for each resource of schema/allowances.ts.
  allowances jsonb not null default '{}',
  -- Whether members without a second factor can only add one.
  requires_second_factor boolean not null default false,
  -- A suspended account's keys and sessions are refused until an operator resumes it.
  suspended_at timestamptz,
  suspension_reason text,
  -- A closed account's keys and sessions are refused too. Its data are deleted from `erase_at` on, unless it is reopened
  -- before (domain/closures/README.md).
  closed_at timestamptz,
  closing_reason text,
  erase_at timestamptz, -- null unless the account is closed, and after all of its data are deleted
  erased_at timestamptz -- when the deletion began; from then on the account cannot be reopened
);
create index accounts_created on accounts (created_at desc, id desc);
create index accounts_suspended on accounts (created_at desc, id desc) where suspended_at is not null;
create index accounts_closed on accounts (created_at desc, id desc) where closed_at is not null;
create index accounts_to_erase on accounts (erase_at) where erase_at is not null;
create index accounts_name_parts on accounts using gin (lower(name) gin_trgm_ops);

-- Several people can sign up with one e-mail address. The address belongs to the user who confirms it.
create table users (
  id uuid primary key,
  email text not null, -- normalised: NFKC, trimmed, in lower case
  email_confirmed_at timestamptz, -- until it is set, the address receives confirmations and no other e-mail
  name text not null,
  password_hash text, -- null for a user who signs in through an issuer only
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index users_email on users (lower(email), created_at);
create unique index users_confirmed_email on users (lower(email)) where email_confirmed_at is not null;
create index users_email_parts on users using gin (lower(email) gin_trgm_ops);

-- The members of each account. Every account whose users log in here has an owner.
create table memberships (
  account_id uuid not null references accounts (id),
  user_id uuid not null references users (id),
  role text not null check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
  created_at timestamptz not null default now(),
  last_used_at timestamptz, -- when tokens of a session of the user in the account were last issued
  primary key (account_id, user_id)
);
create index memberships_user on memberships (user_id);

-- Open invitations. An accepted or revoked invitation is deleted. The token of a link is derived from `link_id`, which
-- changes each time the e-mail is sent, so only the latest link works.
create table invitations (
  account_id uuid not null references accounts (id),
  id uuid not null,
  link_id uuid not null unique,
  email text not null, -- normalised; the row exists whether or not a user has this address
  role text not null check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
  invited_by uuid references users (id) on delete cascade, -- null if no user of this installation sent it
  invited_by_key uuid, -- the API key that sent it, if any
  created_at timestamptz not null,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (account_id, id)
);
create unique index invitations_email on invitations (account_id, email);
create index invitations_expiry on invitations (expires_at);

-- One row for each refresh token. A family is one log-in; using a token twice revokes its family. The unused token of a
-- family is its session.
create table refresh_tokens (
  id uuid primary key,
  family_id uuid not null,
  origin_family_id uuid, -- the log-in from which the user switched to this account; null for a log-in
  account_id uuid not null,
  user_id uuid not null references users (id) on delete cascade,
  token_hash bytea not null unique,
  began_at timestamptz not null default date_trunc('milliseconds', now()), -- the time of the log-in
  confirmed_at timestamptz not null default date_trunc('milliseconds', now()), -- when the user last proved their identity
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ends_at timestamptz, -- when the session ends even if it is refreshed; null if it has no such limit
  used_at timestamptz,
  revoked_at timestamptz,
  address text -- the client address that used the session last
);
create index refresh_tokens_family on refresh_tokens (family_id);
create index refresh_tokens_origin on refresh_tokens (origin_family_id) where origin_family_id is not null;
create index refresh_tokens_current on refresh_tokens (family_id) where used_at is null;
create index refresh_tokens_expires on refresh_tokens (expires_at);
create index refresh_tokens_sessions on refresh_tokens (user_id, began_at) where used_at is null and revoked_at is null;

-- Keys that sign session tokens. The private key is encrypted.
create table signing_keys (
  id text primary key,
  public_jwk jsonb not null,
  private_jwk_sealed bytea not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);

-- Networks from which a person has logged in recently. Failed log-ins from other networks do not lock them out.
create table known_networks (
  user_id uuid not null references users (id) on delete cascade,
  network bytea not null, -- an HMAC of the network, so that the table does not reveal where people were
  last_at timestamptz not null,
  primary key (user_id, network)
);

-- Links in e-mails. The token of a link is derived from its ID and a secret setting, so no row reveals one.
create table mailed_links (
  id uuid primary key,
  purpose text not null, -- confirm_email, change_email, reset_password, reopen_account
  email text not null, -- normalised; the row exists whether or not a user has this address
  -- The person whose address the link confirms or changes, or who can reopen the account; null for a reset, unless no
  -- user had confirmed the address when it was sent.
  user_id uuid references users (id) on delete cascade,
  account_id uuid, -- the closed account that the link reopens; null for other purposes
  replaced_email text, -- the confirmed address that was replaced with the link
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index mailed_links_email on mailed_links (email, purpose) where used_at is null;
create index mailed_links_expiry on mailed_links (expires_at);
create index mailed_links_account on mailed_links (account_id) where account_id is not null;
