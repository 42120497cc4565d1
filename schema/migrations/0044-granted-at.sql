-- When a hold last grew: what it grants counts in that period of its key's cap, however early its requests arrived.
alter table holds add column granted_at timestamptz;
