-- Stores Stripe's pages about a payment, as an event reports them. They carry no money, so their order is not checked.
-- Returns the outcome (domain/billing/receive-event.ts).
create function describe_payment(
  event text, event_type text, account uuid, payment text, receipt text, invoice text, invoice_pdf text
) returns text language plpgsql as $$
declare
  came_to text := 'unknown_payment';
begin
  insert into payment_events (id, type, outcome, account_id, payment_id)
  values (event, event_type, 'received', account, payment) on conflict do nothing;
  if not found then return 'duplicate'; end if;
  update payments p set receipt_url = coalesce(receipt, p.receipt_url), invoice_url = coalesce(invoice, p.invoice_url),
    invoice_pdf_url = coalesce(invoice_pdf, p.invoice_pdf_url)
  where p.account_id = account and p.id = payment;
  if found then came_to := 'described'; end if;
  update payment_events e set outcome = came_to where e.id = event;
  return came_to;
end $$;
