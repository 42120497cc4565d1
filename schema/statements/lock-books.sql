-- Locks an account and its holds, so that neither its balance nor its journal change. Charges of plain batches lock only holds
-- (collect_charges). Waits for each lock for up to 5 s.
create function lock_books(account uuid) returns void language plpgsql as $$
begin
  perform set_config('lock_timeout', '5000', true);
  perform 1 from balances b where b.account_id = account for no key update;
  perform 1 from holds h where h.account_id = account order by h.id for no key update;
  if runs_on_citus() then perform await_second_phases(); end if;
end $$;
