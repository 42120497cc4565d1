-- The hosts that callbacks go to. A host that never answered 2xx may not want them: it gets a bounded number of calls per
-- hour over all accounts (schema/statements/claim-deliveries.sql).
create table receivers (
  host text primary key,
  -- When it first answered 2xx; null if it never has.
  proven_at timestamptz,
  -- Calls since `hour_at`, while it is not proven.
  calls integer not null default 0,
  hour_at timestamptz not null default clock_timestamp()
);
create index receivers_unproven on receivers (hour_at) where proven_at is null;

insert into receivers (host, proven_at)
select regexp_replace(receiver, '\.?(:[0-9]+)?$', ''), min(ended_at) from deliveries where state = 'delivered' group by 1;
