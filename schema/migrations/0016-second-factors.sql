-- Second factors of users, and the challenges of log-ins and confirmations.

-- An authenticator app (TOTP, RFC 6238) or a passkey (WebAuthn).
create table second_factors (
  user_id uuid not null references users (id) on delete cascade,
  id uuid not null,
  kind text not null check (kind in ('totp', 'passkey')),
  name text not null,
  created_at timestamptz not null,
  activated_at timestamptz, -- null until the first code of an authenticator app; until then it is no factor
  last_used_at timestamptz,
  -- of an authenticator app
  secret_sealed bytea,
  last_step bigint, -- the latest time step whose code was accepted: no step is accepted twice
  -- of a passkey
  credential_id bytea,
  public_key bytea, -- COSE
  counter bigint, -- the authenticator's signature counter
  transports text[],
  verifies_user boolean not null default false, -- whether the authenticator has verified its user, so it logs in alone
  primary key (user_id, id),
  check (kind <> 'totp' or (secret_sealed is not null and last_step is not null)),
  check (kind <> 'passkey' or (credential_id is not null and public_key is not null and counter is not null))
);
create unique index second_factors_credential on second_factors (credential_id);

-- Codes that replace a second factor once. Only their hashes are stored.
create table recovery_codes (
  user_id uuid not null references users (id) on delete cascade,
  code_hash bytea not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);

-- A step that a user has begun: the second step of a log-in, a confirmation, or the registration of a passkey. The token
-- of a challenge is derived from its ID and a secret setting, so no row reveals one.
create table sign_in_challenges (
  id uuid primary key,
  purpose text not null check (purpose in ('log_in', 'passkey_log_in', 'confirm', 'add_passkey')),
  user_id uuid references users (id) on delete cascade, -- null for a log-in with a passkey alone
  family_id uuid, -- the session that began the challenge; null for log-ins
  password_digest bytea, -- SHA-256 of the password's hash at the first step: a changed password voids the challenge
  webauthn_challenge text not null, -- base64url
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sign_in_challenges_user on sign_in_challenges (user_id, created_at);
create index sign_in_challenges_expiry on sign_in_challenges (expires_at);
