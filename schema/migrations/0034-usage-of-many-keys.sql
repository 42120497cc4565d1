-- What the requests of one batch come to that share key, day of arrival, model and end user; and what becomes of a hold:
-- its row says `before`, and shall say `amount` once `cost` is taken.
alter type usage_sum add attribute account_id uuid, add attribute api_key_id uuid;
create type hold_change as (
  account_id uuid, hold_id uuid, key_id uuid, before bigint, amount bigint, in_use bigint, cost bigint
);
