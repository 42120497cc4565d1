import { expect, test } from 'vitest'
import { anAccount } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { aCardSystem } from '../../test/payments/a-card-system.ts'
import { readAutomaticTopUp } from '../automatic-top-ups/automatic-top-up.ts'
import { changeAutomaticTopUp } from '../automatic-top-ups/change-automatic-top-up.ts'
import { startTopUp } from '../billing/start-top-up.ts'
import { openBillingPortal, readBillingDetails } from './billing-details.ts'
import { findCustomer, withCustomer } from './find-customer.ts'
import { openPayments } from './open-payments.ts'
import { readSavedCard } from './saved-cards.ts'
import { startSetup } from './start-setup.ts'

const system = perFile(aCardSystem)
const dollar = 1_000_000_000n

/** Loses the customer of an account, as a deletion at Stripe or another Stripe account does. */
async function lose(accountId: string): Promise<void> {
  const lost = `cus_lost_${accountId}`
  await system.context.sql`
    insert into stripe_customers (account_id, customer_id) values (${accountId}, ${lost})
    on conflict (account_id) do update set customer_id = ${lost}`
}

/** The context with Stripe, and the lines that it logs as warnings and errors. */
function aContext() {
  const lines: Record<string, unknown>[] = []
  const tell = (line: Record<string, unknown>) => void lines.push(line)
  const log = Object.assign(Object.create(system.context.log), { warn: tell, error: tell })
  return { lines, context: { ...system.context, log, payments: system.payments } }
}

const tenDollars = { amountNanos: 10n * dollar }

test('a top-up of an account whose customer is lost creates another customer, and the lost card is removed', async () => {
  const { context, lines } = aContext()
  const { accountId } = await system.aToppedUpAccount()
  await lose(accountId)
  const payments = await Promise.all(
    ['a', 'b', 'c'].map(idempotencyKey => startTopUp(context, { accountId, ...tenDollars, idempotencyKey })),
  )
  const customer = await findCustomer(context, { accountId })
  expect(customer).toMatch(/^cus_(?!lost)/)
  const client = await system.payments.client()
  for (const { checkoutUrl } of payments) {
    const id = checkoutUrl?.split('/').at(-1) ?? ''
    expect(await client.checkout.sessions.retrieve(id)).toMatchObject({ customer })
  }
  expect(lines).toMatchObject([{ accountId, customer: `cus_lost_${accountId}` }])
  expect(await readSavedCard(context, { accountId })).toBeUndefined()
  expect(await readAutomaticTopUp(context, { accountId })).toMatchObject({
    isOn: false,
    stopReason: 'card_removed',
  })

  await fetch(`${payments[0]?.checkoutUrl}/pay`, { method: 'POST', redirect: 'manual' })
  expect(await system.deliver()).toContain('credited')
})

test('the page that saves a card and the billing portal create another customer; billing details are empty', async () => {
  const { context } = aContext()
  const { accountId } = await anAccount(system.context)
  await lose(accountId)
  expect(await readBillingDetails(context, { accountId })).toBeUndefined()
  expect((await startSetup(context, { accountId })).url).toContain('/c/pay/')
  await lose(accountId)
  expect((await openBillingPortal(context, { accountId })).url).toContain('/p/session/')
})

test('an automatic top-up of a lost customer charges nothing, is switched off with a notice, and works with another card', async () => {
  const { context } = aContext()
  const { accountId } = await system.aToppedUpAccount({ credits: 5n })
  await lose(accountId)
  await system.run(accountId)
  const { sql } = system.context
  const attempts = () => sql`
    select status, failure from payments where account_id = ${accountId} and kind = 'automatic' order by id`
  expect([...(await attempts())]).toEqual([{ status: 'failed', failure: 'customer_missing' }])
  expect(await readSavedCard(context, { accountId })).toBeUndefined()
  expect(await readAutomaticTopUp(context, { accountId })).toMatchObject({ isOn: false })
  const [notices] = await sql`
    select count(*)::int as count from graphile_worker.jobs where key like 'send-top-up-notice:%'`
  expect(notices).toEqual({ count: 1 })

  await system.saveCard(accountId)
  await changeAutomaticTopUp(context, { accountId, change: { isOn: true } })
  await system.run(accountId)
  expect(await system.charged(accountId)).toEqual([5_000])
})

test('a key of the wrong mode, and a refused key, change nothing; the log has the code and ID, the client has neither', async () => {
  const { context, lines } = aContext()
  const { accountId } = await system.aToppedUpAccount()
  const customer = await findCustomer(context, { accountId })
  const text = `No such customer: '${customer}'; a similar object exists in live mode, but a test mode key was used`
  const wrongMode = Object.assign(new Error(text), { code: 'resource_missing' })
  await expect(withCustomer(context, { accountId }, () => Promise.reject(wrongMode))).rejects.toBe(wrongMode)

  const { stripeUrl } = system.config
  const payments = openPayments({ stripeSecretKey: 'sk_test_that_was_rolled', stripeUrl })
  const refused = startTopUp({ ...context, payments }, { accountId, ...tenDollars })
  await expect(refused).rejects.toThrow(
    /^The card processor refused the request\. Nothing was charged\. Ask the operator for the reason, which is logged\.$/,
  )
  payments.close()
  expect(lines).toMatchObject([
    { accountId, error: expect.stringMatching(/^StripeAuthenticationError: Invalid API Key.* \(req_\w+\)$/) },
  ])
  expect(await findCustomer(context, { accountId })).toBe(customer)
  expect(await readSavedCard(context, { accountId })).toBeDefined()
})
