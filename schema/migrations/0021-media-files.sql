-- Files that we store and serve: results of vendors, what came within requests, uploads. The row is there before the
-- object, and goes after it, so that no object is ever without one. A file is served while it is stored, not expired
-- and not being removed.

create table media_files (
  account_id uuid not null,
  id text not null,
  name text not null, -- where it lies in the storage, and its path under MEDIA_URL
  kind text not null check (kind in ('result', 'input', 'upload')),
  content_type text not null,
  bytes bigint not null, -- of an upload at first what it may have: it counts in the quota while it comes
  task_id text,
  request_id text,
  created_at timestamptz not null,
  stored_at timestamptz, -- null while it is written
  expires_at timestamptz not null,
  removed_at timestamptz, -- from here on its object may be gone
  primary key (account_id, id)
);
create index media_files_name on media_files (name);
create index media_files_expires on media_files (expires_at);
create index media_files_unstored on media_files (created_at) where stored_at is null;
create index media_files_uploads on media_files (account_id, created_at) where kind = 'upload';
