-- Operators find accounts by a part of a name or of an e-mail address: an index has every three characters of them.
create extension if not exists pg_trgm;
create index accounts_name_parts on accounts using gin (lower(name) gin_trgm_ops);
create index users_email_parts on users using gin (lower(email) gin_trgm_ops);

-- Suspended accounts are few. They are listed newest first.
create index accounts_suspended on accounts (created_at desc, id desc) where suspended_at is not null;
