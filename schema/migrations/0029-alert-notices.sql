-- How many notices of alerts an account was sent on the last day (UTC) on which it was sent one. E-mails go to addresses
-- that nobody has verified: without a bound a customer could send any number of them to somebody else.
create table alert_notices (
  account_id uuid primary key,
  day date not null,
  sent integer not null
);
