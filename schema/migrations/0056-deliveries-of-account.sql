-- Operators and accounts list deliveries, newest first.
create index deliveries_of_account on deliveries (account_id, created_at desc, id desc);
