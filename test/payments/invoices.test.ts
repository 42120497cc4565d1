import { afterEach, expect, test } from 'vitest'
import { changeAutomaticTopUp } from '../../domain/automatic-top-ups/change-automatic-top-up.ts'
import { invoiceTopUp } from '../../domain/automatic-top-ups/invoice-top-up.ts'
import { findPayments } from '../../domain/billing/payment-records.ts'
import { startTopUp } from '../../domain/billing/start-top-up.ts'
import { openBillingPortal, readBillingDetails } from '../../domain/stripe/billing-details.ts'
import { anAccount } from '../harness/an-account.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aCardSystem } from './a-card-system.ts'

const system = perFile(() => aCardSystem({ STRIPE_INVOICES: 'tax' }))
const dollar = 1_000_000_000n
afterEach(() => expectLedgerToBalance(system.context.sql))

async function creditsOf(accountId: string): Promise<bigint> {
  const [row] = await system.context.sql<{ credits: bigint }[]>`
    select credits_nanos as credits from balances where account_id = ${accountId}`
  return row?.credits ?? 0n
}

async function aPaidTopUp(dollars: bigint) {
  const context = { ...system.context, payments: system.payments }
  const { accountId } = await anAccount(system.context, { creditNanos: 0n })
  const { id, checkoutUrl } = await startTopUp(context, {
    accountId,
    amountNanos: dollars * dollar,
    savesCard: true,
  })
  await fetch(`${checkoutUrl}/pay`, { method: 'POST', redirect: 'manual' })
  await system.deliver(ids => ids.reverse())
  const [payment] = await findPayments(context, { accountId, ids: [id] })
  return { accountId, context, payment, client: await system.payments.client() }
}

async function intentOf(accountId: string): Promise<string> {
  const [row] = await system.context.sql<{ intent: string }[]>`
    select payment_intent_id as intent from payments where account_id = ${accountId} order by id desc limit 1`
  return row?.intent ?? ''
}

test('the tax is paid in addition and never credited; the top-up has receipt and invoice', async () => {
  const { accountId, context, payment } = await aPaidTopUp(10n)
  expect(await creditsOf(accountId)).toBe(10n * dollar)
  expect(payment).toMatchObject({
    ...{ status: 'completed', amountNanos: 10n * dollar, taxNanos: 2n * dollar },
    receiptUrl: expect.stringContaining('/receipts/'),
    invoiceUrl: expect.stringContaining('/invoices/'),
    invoicePdfUrl: expect.stringMatching(/\/pdf$/),
  })
  expect(await readBillingDetails(context, { accountId })).toEqual({
    ...{ name: 'Example GmbH', email: 'billing@example.com', taxIds: ['DE123456789'] },
    address: ['Hauptstr. 1', '10115', 'Berlin', 'DE'],
  })
})

test('refunds take the share of the credits, whole and in parts', async () => {
  const { accountId, client } = await aPaidTopUp(10n)
  const payment_intent = await intentOf(accountId)
  await client.refunds.create({ payment_intent, amount: 700 })
  await system.deliver()
  expect(await creditsOf(accountId)).toBe(10n * dollar - 5_833_333_333n)
  await client.refunds.create({ payment_intent, amount: 500 })
  await system.deliver()
  expect(await creditsOf(accountId)).toBe(1n) // each share is rounded down

  const whole = await aPaidTopUp(7n)
  await client.refunds.create({ payment_intent: await intentOf(whole.accountId), amount: 840 })
  await system.deliver()
  expect(await creditsOf(whole.accountId)).toBe(0n)
})

test('an automatic top-up charges the same tax in each repetition', async () => {
  const { accountId } = await aPaidTopUp(10n)

  await changeAutomaticTopUp(system.context, {
    accountId,
    change: { isOn: true, thresholdNanos: 20n * dollar },
  })
  system.processor.change({ losesAnswers: true })
  await system.run(accountId)
  system.processor.change({ losesAnswers: false, taxPercent: 25 })
  await system.run(accountId)
  system.processor.change({ taxPercent: 20 })
  await system.deliver()
  expect(await creditsOf(accountId)).toBe(60n * dollar)
  expect((await system.charged(accountId)).at(-1)).toBeOneOf([6_000, 6_250])
})

/** An account whose automatic top-up of 50 dollars, with tax, was credited. */
async function anAutomaticTopUp() {
  const { accountId, context, client } = await aPaidTopUp(10n)
  await changeAutomaticTopUp(context, { accountId, change: { isOn: true, thresholdNanos: 20n * dollar } })
  await system.run(accountId)
  await system.deliver()
  const [row] = await context.sql<{ id: string }[]>`
    select id from payments where account_id = ${accountId} and kind = 'automatic' and status = 'completed'`
  const topUp = { accountId, paymentId: row?.id ?? '' }
  const [job] = await context.sql<{ key: string }[]>`
    select key from graphile_worker.jobs where key = ${`invoice-top-up:${topUp.paymentId}`}`
  expect(job).toBeDefined()
  return { ...topUp, client, invoice: () => invoiceTopUp(context, topUp) }
}

/** The invoices of an account at Stripe that are not deleted, except the one of the first top-up. */
const invoicesOf = (paymentId: string) =>
  system.processor.invoices().filter(({ metadata }) => metadata.payment_id === paymentId)

test('an automatic top-up has one invoice, which its charge pays, with the tax that was charged', async () => {
  const { accountId, paymentId, invoice } = await anAutomaticTopUp()
  await Promise.all([invoice(), invoice()].map(done => done.catch(() => undefined)))
  await invoice()
  expect(invoicesOf(paymentId)).toMatchObject([
    {
      ...{ status: 'paid', subtotal: 5_000, total: 6_000, amount_paid: 6_000, amount_remaining: 0 },
      total_taxes: [{ amount: 1_000, taxable_amount: 5_000, taxability_reason: 'standard_rated' }],
    },
  ])
  await system.deliver()
  const [payment] = await findPayments(system.context, { accountId, ids: [paymentId] })
  expect(payment).toMatchObject({
    invoiceUrl: expect.stringContaining('/invoices/'),
    receiptUrl: expect.stringContaining('/receipts/'),
  })
  expect(await system.charged(accountId)).toEqual([1_200, 6_000])
  expect(await creditsOf(accountId)).toBe(60n * dollar)
})

test.each(['create', 'addLines', 'finalizeInvoice', 'attachPayment'] as const)(
  'a worker dies after %s: the repeated job makes no second invoice',
  async step => {
    const { accountId, paymentId, client, invoice } = await anAutomaticTopUp()
    const original: (...args: never[]) => Promise<unknown> = client.invoices[step]
    Object.assign(client.invoices, {
      [step]: async (...args: never[]) => {
        await original.apply(client.invoices, args)
        throw new Error('killed')
      },
    })
    await expect(invoice()).rejects.toThrow('killed')
    Object.assign(client.invoices, { [step]: original })
    await invoice()
    expect(invoicesOf(paymentId)).toMatchObject([{ status: 'paid', total: 6_000 }])
    expect(await system.charged(accountId)).toEqual([1_200, 6_000])
    await system.deliver()
  },
)

test('an invoice that differs from the charge is deleted; one that the charge cannot pay is void', async () => {
  const { sql } = system.context
  const first = await anAutomaticTopUp()
  await sql`update payments set amount_nanos = amount_nanos + ${dollar} where id = ${first.paymentId}`
  await sql`update payments set tax_nanos = tax_nanos - ${dollar / 2n} where id = ${first.paymentId}`
  await first.invoice()
  expect(invoicesOf(first.paymentId)).toEqual([])
  await sql`update payments set amount_nanos = amount_nanos - ${dollar} where id = ${first.paymentId}`

  const second = await anAutomaticTopUp()
  await sql`update payments set payment_intent_id = 'pi_unknown' where id = ${second.paymentId}`
  await second.invoice()
  expect(invoicesOf(second.paymentId)).toMatchObject([{ status: 'void' }])
})

test('without a billing address no tax can be calculated, and nothing is charged', async () => {
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  await system.run(accountId)
  expect(await system.charged(accountId)).toEqual([])
  const [attempt] = await system.context
    .sql`select status, failure from payments where account_id = ${accountId}`
  expect(attempt).toEqual({ status: 'failed', failure: 'customer_tax_location_invalid' })
})

test('the billing portal opens if the operator has enabled it', async () => {
  const context = { ...system.context, payments: system.payments }
  const { accountId } = await anAccount(system.context)
  expect(await readBillingDetails(context, { accountId })).toBeUndefined()
  expect((await openBillingPortal(context, { accountId })).url).toContain('/p/session/')
  system.processor.change({ portal: false })
  await expect(openBillingPortal(context, { accountId })).rejects.toThrow('The billing portal is not enabled')
  system.processor.change({ portal: true })
})

test('concurrent first top-ups create one Stripe customer', async () => {
  const context = { ...system.context, payments: system.payments }
  const { accountId } = await anAccount(system.context, { creditNanos: 0n })
  const before = system.processor.calls.length
  await Promise.all(Array.from({ length: 8 }, () => startTopUp(context, { accountId, amountNanos: dollar })))
  const customers = system.processor.calls
    .slice(before)
    .filter(({ path }) => path === '/v1/checkout/sessions')
    .map(({ body }) => new URLSearchParams(String(body)).get('customer'))
  expect(new Set(customers).size).toBe(1)
})
