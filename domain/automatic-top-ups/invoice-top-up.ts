import type Stripe from 'stripe'
import { cents } from '../../platform/money.ts'
import type { Context } from '../context.ts'
import { obtainCustomer, type StripeContext } from '../stripe/find-customer.ts'
import { answerOf } from '../stripe/stripe-faults.ts'
import { taxAmountsOf } from './tax-amounts.ts'

/** An automatic top-up that was credited: the payload of its job. */
export interface CreditedTopUp {
  accountId: string
  paymentId: string
}

interface PaidTopUp {
  accountId: string
  id: string
  /** The paid amount, with tax. */
  paidNanos: bigint
  amountNanos: bigint
  taxCalculationId: string | null
  currency: string
  paymentIntentId: string
  /** Stripe's ID of the invoice; null until it is created. */
  invoiceId: string | null
}

type InvoicingContext = StripeContext & Pick<Context, 'config'>

/**
 * Creates the invoice of an automatic top-up at Stripe and attaches the charge, which pays it. Stripe's event then stores its
 * URLs. The invoice is never charged: its charge has succeeded before. Does nothing if `STRIPE_INVOICES` is `none`. Each step
 * is made once, so the job can be repeated. If the invoice does not match the charge, it is deleted or voided, and an error is
 * logged. Throws if Stripe does not respond; the job is then retried.
 */
export async function invoiceTopUp(
  context: InvoicingContext,
  { accountId, paymentId }: CreditedTopUp,
): Promise<void> {
  const { config, payments, log } = context
  if (config.stripeInvoices === 'none' || config.stripeSecretKey === 'none') return
  const topUp = await findPaid(context, { accountId, id: paymentId })
  if (!topUp) return
  const client = await payments.client()
  let invoice = await obtainInvoice(context, { client, topUp })
  if (invoice.status === 'draft' && invoice.lines.data.length === 0)
    invoice = await client.invoices.addLines(
      invoice.id,
      { lines: [await lineOf(client, topUp)] },
      { idempotencyKey: `${paymentId}-invoice-line` },
    )
  if (invoice.status === 'draft') {
    if (invoice.total !== cents(topUp.paidNanos)) {
      await client.invoices.del(invoice.id)
      log.error(
        { accountId, paymentId, total: invoice.total },
        'an invoice differs from its charge, and is deleted',
      )
      return
    }
    invoice = await client.invoices.finalizeInvoice(invoice.id, { auto_advance: false })
  }
  if (invoice.status === 'open') await attach(context, { client, topUp, invoiceId: invoice.id })
}

async function findPaid(
  { sql }: InvoicingContext,
  { accountId, id }: { accountId: string; id: string },
): Promise<PaidTopUp | undefined> {
  const [topUp] = await sql<PaidTopUp[]>`
    select account_id as "accountId", id, amount_nanos + coalesce(tax_nanos, 0) as "paidNanos",
      amount_nanos as "amountNanos", tax_calculation_id as "taxCalculationId", currency,
      payment_intent_id as "paymentIntentId", invoice_id as "invoiceId"
    from payments where account_id = ${accountId} and id = ${id} and kind = 'automatic' and status = 'completed'`
  return topUp
}

/** Returns the invoice of a top-up. A draft whose ID was not stored stays a draft at Stripe and has no effect. */
async function obtainInvoice(
  context: InvoicingContext,
  { client, topUp }: { client: Stripe; topUp: PaidTopUp },
): Promise<Stripe.Invoice> {
  const { accountId, id, currency, invoiceId } = topUp
  if (invoiceId !== null) return client.invoices.retrieve(invoiceId)
  const customer = await obtainCustomer(context, { accountId })
  const created = await client.invoices.create(
    {
      customer,
      currency,
      auto_advance: false,
      collection_method: 'charge_automatically',
      pending_invoice_items_behavior: 'exclude',
      metadata: { payment_id: id, account_id: accountId },
    },
    { idempotencyKey: `${id}-invoice` },
  )
  const [stored] = await context.sql<{ invoiceId: string }[]>`
    update payments set invoice_id = coalesce(invoice_id, ${created.id})
    where account_id = ${accountId} and id = ${id} returning invoice_id as "invoiceId"`
  return stored?.invoiceId === created.id
    ? created
    : client.invoices.retrieve(stored?.invoiceId ?? created.id)
}

/** Returns the line of the credits, with the tax that was charged. Stripe Tax has recorded this tax with the charge. */
async function lineOf(client: Stripe, topUp: PaidTopUp): Promise<Stripe.InvoiceAddLinesParams.Line> {
  const { amountNanos, taxCalculationId } = topUp
  const line = { amount: cents(amountNanos), description: 'Credits (automatic top-up)' }
  if (taxCalculationId === null) return line
  return { ...line, tax_amounts: taxAmountsOf(await client.tax.calculations.retrieve(taxCalculationId)) }
}

/** Pays an open invoice with the charge of its top-up. If Stripe refuses that, the invoice is voided, so that the customer owes nothing. */
async function attach(
  { log }: InvoicingContext,
  { client, topUp, invoiceId }: { client: Stripe; topUp: PaidTopUp; invoiceId: string },
): Promise<void> {
  const { accountId, id: paymentId, paymentIntentId } = topUp
  const attached = await answerOf(() =>
    client.invoices.attachPayment(invoiceId, { payment_intent: paymentIntentId }),
  )
  if (!('fault' in attached)) return
  const { type, text: error } = attached.fault
  if (type !== 'StripeInvalidRequestError') throw new Error(`Stripe did not pay an invoice: ${error}`)
  const { status } = await client.invoices.retrieve(invoiceId)
  if (status !== 'open') return
  await client.invoices.voidInvoice(invoiceId)
  log.error({ accountId, paymentId, invoiceId, error }, 'an invoice could not be paid, and is void')
}
