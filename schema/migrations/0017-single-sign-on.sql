-- Single sign-on: identities of users at issuers, sign-ins in progress, and the sessions that identities began.

-- A person at an issuer, who signs in as the user. Only the issuer's URL and its subject identify a person.
create table identities (
  id uuid primary key,
  user_id uuid not null references users (id) on delete cascade,
  issuer text not null, -- the URL that the issuer states in `iss`
  subject text not null,
  email text, -- as the issuer stated it last; for display only
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  unique (issuer, subject)
);
create index identities_user on identities (user_id, created_at);

-- The accounts to which single sign-on has added a user. A user who is no longer a member was removed, and is not added
-- again.
create table identity_joins (
  user_id uuid not null references users (id) on delete cascade,
  account_id uuid not null references accounts (id),
  primary key (user_id, account_id)
);

-- A sign-in from its start until the client has exchanged its code. The state is used once, when the issuer sends the
-- browser back. The code is used once, for a session or a link.
create table sign_ins (
  id uuid primary key,
  issuer text not null,
  state_hash bytea not null unique,
  browser_hash bytea not null, -- of the cookie of the browser that began it
  code_challenge text not null, -- of the client that began it
  return_to text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  returned_at timestamptz, -- when the state was used
  code_hash bytea unique,
  verified jsonb -- the person, as the issuer stated it
);
create index sign_ins_expiry on sign_ins (expires_at);

-- The sessions that an identity began, and their IDs at the issuer.
create table identity_sessions (
  family_id uuid primary key,
  identity_id uuid not null references identities (id) on delete cascade,
  issuer_session text
);
create index identity_sessions_identity on identity_sessions (identity_id);

-- Log-outs at issuers. A logout token is used once, and a sign-in that is older than a log-out begins no session.
create table issuer_logouts (
  issuer text not null,
  token_hash bytea not null,
  subject text,
  issuer_session text,
  received_at timestamptz not null,
  primary key (issuer, token_hash)
);
create index issuer_logouts_received on issuer_logouts (received_at);
