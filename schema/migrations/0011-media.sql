-- Files that Rubicon stores and serves: results of vendors, inputs of requests, and uploads. The row is written before
-- the object and deleted after it, so that no object exists without a row. A file is served while it is stored, has not
-- expired and is not being removed.

create table media_files (
  account_id uuid not null,
  id text not null,
  name text not null, -- the object's key in the storage, and its path under MEDIA_URL
  kind text not null check (kind in ('result', 'input', 'upload')),
  content_type text not null,
  bytes bigint not null, -- while an upload arrives: its maximum, which counts in the quota
  task_id text,
  request_id text,
  created_at timestamptz not null,
  stored_at timestamptz, -- null while it is written
  expires_at timestamptz not null,
  removed_at timestamptz, -- from this time on the object may no longer exist
  primary key (account_id, id)
);
create index media_files_name on media_files (name);
create index media_files_expires on media_files (expires_at);
create index media_files_unstored on media_files (created_at) where stored_at is null;
create index media_files_uploads on media_files (account_id, created_at) where kind = 'upload';
