-- compatible since 0017-single-sign-on.sql

-- The log database (LOG_DATABASE_URL, docs/operations.md). It has all tables of the main database, and uses only the request
-- log and the usage counters. Both databases have one row here if requests are carried from one to the other.
create table log_database (
  place text primary key check (place in ('here', 'elsewhere')), -- where the whole log is, as this database sees it
  copied_at timestamptz -- when all earlier requests had been copied; null before that
);

-- The requests that were logged or changed in the main database and are not in the log database yet: one row for each
-- statement that wrote some.
create table changed_requests (
  number bigint generated always as identity primary key,
  noted_at timestamptz not null default now(),
  account_ids uuid[] not null,
  arrived_at timestamptz[] not null,
  ids text[] not null
);

-- The triggers that call this are created when requests begin to be carried (domain/logs/start-carrying.ts). A disabled trigger
-- would cost time too: Postgres copies the rows that it refers to in any case.
create function note_changed_requests() returns trigger language plpgsql as $$
begin
  insert into changed_requests (account_ids, arrived_at, ids)
  select array_agg(c.account_id), array_agg(c.created_at), array_agg(c.id) from changed c having count(*) > 0;
  return null;
end $$;
