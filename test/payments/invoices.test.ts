import { afterEach, expect, test } from 'vitest'
import { changeAutomaticTopUp } from '../../domain/automatic-top-ups/change-automatic-top-up.ts'
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
