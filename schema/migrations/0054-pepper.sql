-- The pepper of the API keys, as an HMAC of a constant: a process with another KEY_PEPPER does not start. `kept_value` is
-- the same of an earlier pepper that keys without a sealed text still need.
create table pepper (
  is_only boolean primary key default true check (is_only),
  check_value bytea not null,
  kept_value bytea
);
