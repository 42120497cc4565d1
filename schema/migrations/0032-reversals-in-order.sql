-- A dispute may be lost, won, and lost again: its events are told apart by when Stripe made them.
alter table payment_reversals
  add column told_at timestamptz not null default '-infinity', -- when Stripe made the event that the state is of
  add column times int not null default 0; -- how often it was taken from the credits

update payment_reversals set told_at = now() where state = 'returned';
update payment_reversals r set times = 1 where exists (
  select from payments p join transactions t on t.account_id = p.account_id
  where p.payment_intent_id = r.payment_intent_id and t.source = r.kind || ':' || r.id
);

-- What is kept for a while is found by its time.
create index payment_events_received on payment_events (received_at);
create index audit_log_created on audit_log (created_at);
