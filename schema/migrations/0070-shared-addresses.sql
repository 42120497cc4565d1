-- Several accounts can be opened with one address. It belongs to the account that confirms it.
drop index users_email;
create index users_email on users (lower(email), created_at);
create unique index users_confirmed_email on users (lower(email)) where email_confirmed_at is not null;

-- The person whose address the link confirms. Null for other purposes, and for links of older versions.
alter table mailed_links add column user_id uuid references users (id);
