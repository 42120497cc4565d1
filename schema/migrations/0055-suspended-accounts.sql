-- An operator may suspend an account: its keys and sessions are refused until it is resumed.
alter table accounts add column suspended_at timestamptz;
alter table accounts add column suspension_reason text;

-- Operators list accounts, newest first.
create index accounts_created on accounts (created_at desc, id desc);
