-- How often the card processor answered with an error when a session was requested. It repeats an answer under the same
-- idempotency key for a day, so the next try has another key.
alter table payments add column session_tries integer not null default 0;
