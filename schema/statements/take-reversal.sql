-- Takes a refund or dispute from the credits one more time.
create function take_reversal(account uuid, known payment_reversals) returns void language plpgsql as $$
begin
  update payment_reversals r set times = r.times + 1
  where r.payment_intent_id = known.payment_intent_id and r.id = known.id returning r.* into known;
  perform change_credits(account, reversal_source(known.kind, known.id, known.times), -known.amount_nanos, known.kind, known.id, false);
end $$;
