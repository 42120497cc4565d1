-- Returns the charges of an account's requests minus refunds, for requests with at most one charge.
create function charged_requests(account uuid) returns table (request_id text, cost bigint) language sql stable as $$
  select t.request_id, -sum(t.credits_nanos)::bigint
  from transactions t
  where t.account_id = account and t.request_id is not null
  group by t.request_id
  having -sum(t.credits_nanos) >= 0
    and count(*) filter (where t.payment_method = 'usage') - count(*) filter (where t.payment_method = 'refund')
      = case when sum(t.credits_nanos) < 0 then 1 else 0 end
$$;
