-- Returns whether this database counts usage. A main database stops when the log database counts it.
create function counts_usage() returns boolean language sql stable as $$
  select not exists (select from log_database where place = 'elsewhere' and copied_at is not null)
$$;
