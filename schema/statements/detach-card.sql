-- Adds the job that detaches a card from its customer at Stripe.
create function detach_card(method text) returns void language sql as $$
  select graphile_worker.add_job('detach-card', json_build_object('cardId', method),
    job_key := 'detach-card:' || method)
$$;
