-- Takes a refund or dispute from the credits one more time, without the tax in it.
create function take_reversal(account uuid, known payment_reversals) returns void language plpgsql as $$
declare
  share bigint;
begin
  update payment_reversals r set times = r.times + 1
  where r.payment_intent_id = known.payment_intent_id and r.id = known.id returning r.* into known;
  select credited_share(known.amount_nanos, p.amount_nanos, p.tax_nanos) into share from payments p
  where p.account_id = account and p.payment_intent_id = known.payment_intent_id and p.status = 'completed';
  perform change_credits(account, reversal_source(known.kind, known.id, known.times), -share, known.kind, known.id, false);
end $$;
