import { z } from 'zod'
import type { Exchange } from '../server/exchange.ts'
import type { JsonRecord } from '../server/json.ts'
import {
  type CheckoutSession,
  type Invoice,
  newId,
  nowSeconds,
  type Payment,
  type PaymentSimulator,
} from './payment-simulator.ts'
import { missing, missingCustomer, readParams, refuse, refuseParam } from './refuse.ts'
import { sendEvent } from './send-events.ts'

const invoiceShape = z.strictObject({
  ...{ customer: z.string(), currency: z.string(), auto_advance: z.literal('false') },
  ...{
    collection_method: z.literal('charge_automatically'),
    pending_invoice_items_behavior: z.literal('exclude'),
  },
  metadata: z.record(z.string(), z.string()).default({}),
})

export function createInvoice(state: PaymentSimulator, _: Exchange, form: JsonRecord): JsonRecord {
  const { customer, currency, metadata } = readParams(invoiceShape, form)
  if (!state.customers.has(customer)) throw missingCustomer(customer)
  return draft(state, { customer, currency, metadata })
}

function draft(
  state: PaymentSimulator,
  { customer, currency, metadata }: Pick<Invoice, 'customer' | 'currency' | 'metadata'>,
): Invoice {
  const invoice: Invoice = {
    ...{ id: newId('in'), object: 'invoice', auto_advance: false, billing_reason: 'manual' },
    ...{ amount_due: 0, amount_paid: 0, amount_remaining: 0, subtotal: 0, total: 0, total_taxes: [] },
    ...{ collection_method: 'charge_automatically', created: nowSeconds(state), currency, customer },
    ...{ hosted_invoice_url: null, invoice_pdf: null, livemode: false, metadata, number: null },
    ...{ lines: { object: 'list', data: [], has_more: false }, status: 'draft' },
  }
  state.invoices.set(invoice.id, invoice)
  return invoice
}

const cents = z.coerce.number().int()

const linesShape = z.strictObject({
  lines: z.object({
    0: z.strictObject({
      ...{ amount: cents, description: z.string() },
      tax_amounts: z
        .record(
          z.string(),
          z.strictObject({
            ...{ amount: cents, taxable_amount: cents, taxability_reason: z.string() },
            tax_rate_data: z.strictObject({
              ...{ display_name: z.string(), inclusive: z.literal('false'), percentage: z.coerce.number() },
              ...{
                country: z.string().optional(),
                state: z.string().optional(),
                tax_type: z.string().optional(),
              },
            }),
          }),
        )
        .default({}),
    }),
  }),
})

export function addLines(state: PaymentSimulator, exchange: Exchange, form: JsonRecord): JsonRecord {
  const invoice = findInvoice(state, exchange)
  requireStatus(invoice, 'draft')
  const { amount: subtotal, description, tax_amounts } = readParams(linesShape, form).lines[0]
  const taxes = Object.values(tax_amounts).map(({ amount, taxable_amount, taxability_reason }) => ({
    ...{ amount, taxable_amount, taxability_reason, tax_behavior: 'exclusive' },
  }))
  setAmounts(invoice, subtotal, taxes)
  const line = { id: newId('il'), object: 'line_item', amount: subtotal, description, taxes }
  invoice.lines.data.push(line)
  return invoice
}

function setAmounts(invoice: Invoice, subtotal: number, taxes: (JsonRecord & { amount: number })[]): void {
  const total = taxes.reduce((sum, { amount }) => sum + amount, subtotal)
  Object.assign(invoice, { amount_due: total, amount_remaining: total, subtotal, total, total_taxes: taxes })
}

const finalizeShape = z.strictObject({ auto_advance: z.literal('false') })

export function finalizeInvoice(state: PaymentSimulator, exchange: Exchange, form: JsonRecord): JsonRecord {
  const invoice = findInvoice(state, exchange)
  readParams(finalizeShape, form)
  requireStatus(invoice, 'draft')
  return open(invoice, exchange.origin)
}

function open(invoice: Invoice, origin: string): Invoice {
  const { id } = invoice
  const pages = {
    hosted_invoice_url: `${origin}/invoices/${id}`,
    invoice_pdf: `${origin}/invoices/${id}/pdf`,
  }
  return Object.assign(invoice, { ...pages, number: id.slice(-8).toUpperCase(), status: 'open' })
}

const attachShape = z.strictObject({ payment_intent: z.string() })

/** Attaches a payment that has succeeded, which pays the invoice. A payment pays one invoice. */
export function attachPayment(state: PaymentSimulator, exchange: Exchange, form: JsonRecord): JsonRecord {
  const invoice = findInvoice(state, exchange)
  const { payment_intent: id } = readParams(attachShape, form)
  requireStatus(invoice, 'open')
  const payment = state.payments.get(id)
  if (!payment) throw refuseParam('payment_intent', `No such payment_intent: '${id}'`, 'resource_missing')
  const { intent, isInvoiced } = payment
  if (isInvoiced || intent.status !== 'succeeded' || intent.customer !== invoice.customer)
    throw refuseParam('payment_intent', 'This PaymentIntent cannot be attached to the invoice.')
  return payInvoice(state, invoice, payment)
}

function payInvoice(state: PaymentSimulator, invoice: Invoice, payment: Payment): Invoice {
  payment.isInvoiced = true
  const remaining = Math.max(0, invoice.total - payment.amountCents)
  Object.assign(invoice, { amount_paid: payment.amountCents, amount_remaining: remaining })
  if (remaining > 0) return invoice
  invoice.status = 'paid'
  sendEvent(state, 'invoice.paid', invoice)
  return invoice
}

export function voidInvoice(state: PaymentSimulator, exchange: Exchange): JsonRecord {
  const invoice = findInvoice(state, exchange)
  requireStatus(invoice, 'open')
  invoice.status = 'void'
  return invoice
}

export function deleteInvoice(state: PaymentSimulator, exchange: Exchange): JsonRecord {
  const invoice = findInvoice(state, exchange)
  requireStatus(invoice, 'draft')
  state.invoices.delete(invoice.id)
  return { id: invoice.id, object: 'invoice', deleted: true }
}

export function readInvoice(state: PaymentSimulator, exchange: Exchange): JsonRecord {
  return findInvoice(state, exchange)
}

/** Creates the invoice of a session, paid. Returns its ID. */
export function invoiceSession(
  state: PaymentSimulator,
  { amountCents, taxCents, paymentMetadata: metadata, object }: CheckoutSession,
  { origin, payment }: { origin: string; payment: Payment },
): string {
  const { currency, customer } = object
  const invoice = draft(state, { currency, customer, metadata })
  const taxes = taxCents > 0 ? [{ amount: taxCents, tax_behavior: 'exclusive' }] : []
  setAmounts(invoice, amountCents - taxCents, taxes)
  return payInvoice(state, open(invoice, origin), payment).id
}

function findInvoice(state: PaymentSimulator, { params: { id = '' } }: Exchange): Invoice {
  const invoice = state.invoices.get(id)
  if (!invoice) throw missing('invoice', id)
  return invoice
}

function requireStatus({ id, status }: Invoice, expected: Invoice['status']): void {
  if (status !== expected)
    throw refuse(400, `The invoice ${id} is ${status}, not ${expected}.`, { code: 'invoice_not_editable' })
}
