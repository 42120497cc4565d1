-- Where a person has logged in from lately: there, tries of strangers elsewhere lock nobody out.

create table known_networks (
  user_id uuid not null references users (id) on delete cascade,
  network bytea not null, -- HMAC of the network's text: where people were is nobody's to read
  last_at timestamptz not null,
  primary key (user_id, network)
);
