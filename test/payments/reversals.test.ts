import { afterEach, expect, test } from 'vitest'
import { clientOf, saying } from '../harness/a-client.ts'
import { anApiKey } from '../harness/an-account.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aPaymentSystem, inNanos } from './a-payment-system.ts'

const system = perFile(aPaymentSystem)
afterEach(async () => {
  system.processor.change({ duplicates: 0 })
  system.processor.sendTo(`${system.edge.url}/api/v1/webhooks/stripe`)
  await expectLedgerToBalance(system.context.sql)
})

/** A person who paid `dollars` dollars. */
async function aPayer(amount: number) {
  const { accountId, token } = await system.aPerson()
  const { checkout_url } = await system.topUp(token, amount)
  await system.press(checkout_url, 'pay')
  await expect.poll(() => system.creditsOf(accountId)).toBe(inNanos(amount))
  const session = await system.stripe.checkout.sessions.retrieve(checkout_url.split('/').at(-1) ?? '')
  return { accountId, token, paymentIntentId: String(session.payment_intent) }
}

const act = (paymentIntentId: string, action: string) =>
  system.press(`${system.processor.url}/payments/${paymentIntentId}`, action)

test('a refund, whole or in parts, is a negative transaction, once for each refund', async () => {
  system.processor.change({ duplicates: 2 })
  const { accountId, token, paymentIntentId } = await aPayer(20)
  const first = await system.stripe.refunds.create({ payment_intent: paymentIntentId, amount: 500 })
  await expect.poll(() => system.creditsOf(accountId)).toBe(inNanos(15))
  const second = await system.stripe.refunds.create({ payment_intent: paymentIntentId, amount: 1500 })
  await expect.poll(() => system.creditsOf(accountId)).toBe(0n)
  const { body } = await system.rest('GET', '/billing/transactions', { token })
  expect(body.data).toMatchObject([
    { credits: -15, payment_method: 'payment_refund', status: 'completed' },
    { credits: -5, payment_method: 'payment_refund' },
    { credits: 20, payment_method: 'stripe' },
  ])
  const reasons = await system.context.sql`
    select reason from transactions where account_id = ${accountId} and payment_method = 'payment_refund' order by id`
  expect(reasons.map(({ reason }) => reason)).toEqual([first.id, second.id])
})

test('a refund that fails gives back what it took, once', async () => {
  system.processor.change({ duplicates: 2 })
  const { accountId, paymentIntentId } = await aPayer(20)
  await act(paymentIntentId, 'refund-half')
  await expect.poll(() => system.creditsOf(accountId)).toBe(inNanos(10))
  await act(paymentIntentId, 'fail-refund')
  await expect.poll(() => system.creditsOf(accountId)).toBe(inNanos(20))
})

test('a dispute takes the whole amount, and gives it back when it is won', async () => {
  const { accountId, paymentIntentId } = await aPayer(20)
  await act(paymentIntentId, 'dispute')
  await expect.poll(() => system.creditsOf(accountId)).toBe(0n)
  await act(paymentIntentId, 'win-dispute')
  await expect.poll(() => system.creditsOf(accountId)).toBe(inNanos(20))
})

test('with the dollars spent a refund leads below zero, and nothing is spent until a top-up leads out', async () => {
  const { accountId, token, paymentIntentId } = await aPayer(20)
  const client = clientOf(system, await anApiKey(system.context, { accountId }))
  expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
  await act(paymentIntentId, 'refund')
  await expect.poll(() => system.creditsOf(accountId)).toBeLessThan(0n)
  const { body } = await system.rest('GET', '/billing/balance', { token })
  expect(body.credits).toBeLessThan(0)
  expect(body.available).toBe(body.credits - body.held)

  // The headroom of its process is released at the next flush.
  await expect.poll(async () => (await client.post('/chat/completions', saying('Hi'))).status).toBe(402)
  await system.press((await system.topUp(token, 5)).checkout_url, 'pay')
  await expect.poll(() => system.creditsOf(accountId)).toBeGreaterThan(0n)
  await expect.poll(async () => (await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
})

test('a refund that is told before its payment waits for it; told to have failed first, it takes nothing', async () => {
  const { accountId, token } = await system.aPerson()
  const { checkout_url } = await system.topUp(token, 9)
  system.processor.sendTo('http://127.0.0.1:9/')
  system.processor.change({ retryMs: 60_000 })
  await system.press(checkout_url, 'pay')
  const session = await system.stripe.checkout.sessions.retrieve(checkout_url.split('/').at(-1) ?? '')
  const paymentIntentId = String(session.payment_intent)
  await system.stripe.refunds.create({ payment_intent: paymentIntentId, amount: 200 })
  await system.stripe.refunds.create({ payment_intent: paymentIntentId, amount: 400 })
  await act(paymentIntentId, 'fail-refund')
  const told = system.processor.events().slice(-4)
  expect(told.map(({ type }) => type)).toEqual([
    'checkout.session.completed',
    'refund.created',
    'refund.created',
    'refund.failed',
  ])
  system.processor.sendTo(`${system.edge.url}/api/v1/webhooks/stripe`)
  for (const { id } of told.reverse()) await system.press(`${system.processor.url}/events/${id}`, 'send')
  expect(await system.creditsOf(accountId)).toBe(inNanos(7))
  system.processor.change({ retryMs: 50 })
})

test('a refund of a payment that is not ours is taken, and moves nothing', async () => {
  const before = await system.context.sql`select count(*)::int as count from transactions`
  const refund = { id: 're_1', object: 'refund', amount: 900, currency: 'usd', status: 'succeeded' }
  const event = { id: 'evt_foreign', object: 'event', created: 1_795_000_000, type: 'refund.created' }
  const payload = JSON.stringify({ ...event, data: { object: { ...refund, payment_intent: 'pi_foreign' } } })
  const signature = system.stripe.webhooks.generateTestHeaderString({ payload, secret: system.webhookSecret })
  const { status } = await fetch(`${system.edge.url}/api/v1/webhooks/stripe`, {
    method: 'POST',
    headers: { 'stripe-signature': signature },
    body: payload,
  })
  expect(status).toBe(200)
  expect([...(await system.context.sql`select count(*)::int as count from transactions`)]).toEqual([
    ...before,
  ])
})
