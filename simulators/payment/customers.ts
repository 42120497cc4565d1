import { z } from 'zod'
import type { Exchange } from '../server/exchange.ts'
import { isRecord, type JsonRecord } from '../server/json.ts'
import { newId, nowSeconds, type PaymentSimulator } from './payment-simulator.ts'
import { missing, missingCustomer, readParams, refuseParam } from './refuse.ts'
import { sendEvent } from './send-events.ts'

const customerShape = z.strictObject({ metadata: z.record(z.string(), z.string()).default({}) })

export function createCustomer(state: PaymentSimulator, _: Exchange, form: JsonRecord): JsonRecord {
  const { metadata } = readParams(customerShape, form)
  const customer: JsonRecord = {
    ...{ id: newId('cus'), object: 'customer', address: null, created: nowSeconds(state), email: null },
    ...{ livemode: false, metadata, name: null, tax_ids: { object: 'list', data: [], has_more: false } },
  }
  state.customers.set(String(customer.id), customer)
  return customer
}

export function readCustomer(state: PaymentSimulator, { params: { id = '' } }: Exchange): JsonRecord {
  const customer = state.customers.get(id)
  if (!customer) throw missing('customer', id)
  return customer
}

/** Fills in what a customer enters on the Checkout page. */
export function enterBilling(state: PaymentSimulator, customerId: string): void {
  const customer = state.customers.get(customerId)
  if (!customer) return
  Object.assign(customer, {
    ...{ name: 'Example GmbH', email: 'billing@example.com' },
    address: {
      line1: 'Hauptstr. 1',
      line2: null,
      postal_code: '10115',
      city: 'Berlin',
      state: null,
      country: 'DE',
    },
    tax_ids: {
      ...{ object: 'list', has_more: false },
      data: [{ id: newId('txi'), object: 'tax_id', type: 'eu_vat', value: 'DE123456789' }],
    },
  })
}

/** Detaches a card from its customer for ever. */
export function detachMethod(state: PaymentSimulator, { params: { id = '' } }: Exchange): JsonRecord {
  const method = state.methods.get(id)
  if (!method) throw missing('PaymentMethod', id)
  const { customer } = method
  if (customer === null)
    throw refuseParam('payment_method', 'The payment method you provided is not attached to a customer.')
  method.customer = null
  sendEvent(state, 'payment_method.detached', { ...method }, { customer })
  return method
}

const calculationShape = z.strictObject({
  ...{ currency: z.string(), customer: z.string() },
  line_items: z.object({
    0: z.strictObject({
      amount: z.coerce.number().int(),
      ...{ reference: z.string(), tax_behavior: z.literal('exclusive') },
    }),
  }),
})

export function calculateTax(state: PaymentSimulator, _: Exchange, form: JsonRecord): JsonRecord {
  const { currency, customer, line_items } = readParams(calculationShape, form)
  if (!state.customers.has(customer)) throw missingCustomer(customer)
  if (!isRecord(state.customers.get(customer)?.address))
    throw refuseParam(
      'customer[address]',
      "The customer's location isn't recognized.",
      'customer_tax_location_invalid',
    )
  const { amount } = line_items[0]
  const tax = taxOf(state, amount)
  const id = newId('taxcalc')
  const calculation = {
    ...{ id, object: 'tax.calculation', amount_total: amount + tax, currency, customer, livemode: false },
    ...{ tax_amount_exclusive: tax, tax_amount_inclusive: 0, tax_breakdown: [taxBreakdown(state, amount)] },
  }
  state.calculations.set(id, calculation)
  return calculation
}

function taxBreakdown(state: PaymentSimulator, amountCents: number): JsonRecord {
  const rate = {
    ...{ country: 'DE', flat_amount: null, percentage_decimal: String(state.settings.taxPercent) },
    ...{ rate_type: 'percentage', state: null, tax_type: 'vat' },
  }
  return {
    ...{ amount: taxOf(state, amountCents), inclusive: false, tax_rate_details: rate },
    ...{ taxability_reason: 'standard_rated', taxable_amount: amountCents },
  }
}

export function readCalculation(state: PaymentSimulator, { params: { id = '' } }: Exchange): JsonRecord {
  const calculation = state.calculations.get(id)
  if (!calculation) throw missing('tax.calculation', id)
  return calculation
}

export function taxOf({ settings }: PaymentSimulator, amountCents: number): number {
  return Math.round((amountCents * settings.taxPercent) / 100)
}

const portalShape = z.strictObject({ customer: z.string(), return_url: z.string() })

export function openPortal(state: PaymentSimulator, { origin }: Exchange, form: JsonRecord): JsonRecord {
  const { customer, return_url } = readParams(portalShape, form)
  if (!state.settings.portal)
    throw refuseParam(
      'configuration',
      'No configuration provided and your default configuration has not been created.',
    )
  if (!state.customers.has(customer)) throw missingCustomer(customer)
  const id = newId('bps')
  return { id, object: 'billing_portal.session', customer, return_url, url: `${origin}/p/session/${id}` }
}
