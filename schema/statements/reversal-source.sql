-- Returns the source of the transaction that takes a refund or dispute for the n-th time. ledger-differences.sql uses
-- the same format.
create function reversal_source(kind text, id text, n int) returns text language sql immutable as $$
  select kind || ':' || id || case when n > 1 then ':' || n else '' end
$$;
