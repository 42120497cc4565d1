import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RunningPaymentSimulator, startPaymentSimulator } from './start-payment-simulator.ts'
import { readForm } from './stripe-api.ts'

const secret = 'whsec_0123456789abcdef0123456789abcdef'
const key = 'sk_test_of_the_simulator'
let simulator: RunningPaymentSimulator
let stripe: Stripe
let deliveries: { body: string; headers: IncomingHttpHeaders }[] = []
let status = 200

const receiver = createServer(async (request, response) => {
  deliveries.push({ body: await text(request), headers: request.headers })
  response.writeHead(status).end()
})

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const address = receiver.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const webhookUrl = `http://127.0.0.1:${port}/`
  simulator = await startPaymentSimulator({
    key,
    webhookUrl,
    webhookSecret: secret,
    settings: { retryMs: 20 },
  })
  const { hostname, port: ours } = new URL(simulator.url)
  stripe = new Stripe(key, { host: hostname, port: ours, protocol: 'http', maxNetworkRetries: 0 })
})
beforeEach(() => {
  deliveries = []
  status = 200
  simulator.change({ duplicates: 0, outage: false })
})
afterAll(async () => {
  await simulator.close()
  receiver.closeAllConnections()
  receiver.close()
})

const params = (amount = 1_000): Stripe.Checkout.SessionCreateParams => ({
  mode: 'payment',
  success_url: 'http://127.0.0.1/done',
  metadata: { order: '7' },
  line_items: [
    { quantity: 1, price_data: { currency: 'usd', unit_amount: amount, product_data: { name: 'Credits' } } },
  ],
})
const press = (url: string | null, action: string) =>
  fetch(`${url}/${action}`, { method: 'POST', redirect: 'manual' })
const typesOf = () => deliveries.map(({ body }) => JSON.parse(body).type)

test('the Stripe client creates a session, its page pays it, and the client verifies the event', async () => {
  const session = await stripe.checkout.sessions.create(params())
  expect(session).toMatchObject({
    amount_total: 1_000,
    currency: 'usd',
    status: 'open',
    payment_status: 'unpaid',
  })
  expect(await (await fetch(session.url ?? '')).text()).toContain('10.00 USD')
  const paid = await press(session.url, 'pay')
  expect([paid.status, paid.headers.get('location')]).toEqual([303, 'http://127.0.0.1/done'])
  await expect.poll(() => deliveries.length).toBe(1)
  const { body, headers } = deliveries[0]!
  const event = stripe.webhooks.constructEvent(body, String(headers['stripe-signature']), secret)
  expect(event).toMatchObject({
    type: 'checkout.session.completed',
    data: { object: { id: session.id, payment_status: 'paid', metadata: { order: '7' } } },
  })
  expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ status: 'complete', url: null })
  await press(session.url, 'pay')
  expect(deliveries).toHaveLength(1)
})

test('an event is retried until the response is 2xx, and duplicated by a setting', async () => {
  status = 500
  simulator.change({ duplicates: 1 })
  await press((await stripe.checkout.sessions.create(params())).url, 'pay')
  await expect.poll(() => deliveries.length).toBeGreaterThan(4)
  status = 200
  expect(new Set(deliveries.map(({ body }) => JSON.parse(body).id)).size).toBe(1)
  await expect
    .poll(
      () =>
        simulator
          .events()
          .at(-1)
          ?.statuses.filter(each => each === 200).length,
    )
    .toBe(2)
})

test('an invalid key, an unknown parameter, an amount below the minimum and an outage fail as at Stripe', async () => {
  const { hostname, port } = new URL(simulator.url)
  const stranger = new Stripe('sk_test_other', {
    host: hostname,
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
  })
  await expect(stranger.checkout.sessions.create(params())).rejects.toMatchObject({ statusCode: 401 })
  await expect(
    stripe.checkout.sessions.create({ ...params(), allow_promotion_codes: true }),
  ).rejects.toMatchObject({
    statusCode: 400,
    param: 'allow_promotion_codes',
  })
  await expect(stripe.checkout.sessions.create(params(49))).rejects.toMatchObject({ statusCode: 400 })
  simulator.change({ outage: true })
  await expect(stripe.checkout.sessions.create(params())).rejects.toMatchObject({ type: 'StripeAPIError' })
})

test('refunds are limited to the rest of the payment, and refunds and disputes send events', async () => {
  const session = await stripe.checkout.sessions.create(params())
  await press(session.url, 'pay')
  const payment_intent = String((await stripe.checkout.sessions.retrieve(session.id)).payment_intent)
  expect(await stripe.refunds.create({ payment_intent, amount: 400 })).toMatchObject({ status: 'succeeded' })
  await expect(stripe.refunds.create({ payment_intent, amount: 601 })).rejects.toMatchObject({
    param: 'amount',
  })
  for (const action of ['fail-refund', 'dispute', 'win-dispute'])
    await press(`${simulator.url}/payments/${payment_intent}`, action)
  await expect
    .poll(() => typesOf().toSorted())
    .toEqual([
      'charge.dispute.created',
      'charge.dispute.funds_reinstated',
      'charge.dispute.funds_withdrawn',
      'checkout.session.completed',
      'refund.created',
      'refund.failed',
    ])
})

test('a form is parsed into records without prototypes', () => {
  const form = readForm(Buffer.from('a[0][b]=1&a[0][c]=2&d=x%20y&__proto__[polluted]=1'))
  expect(form).toMatchObject({ a: { 0: { b: '1', c: '2' } }, d: 'x y' })
  expect(Object.getPrototypeOf(form)).toBeNull()
  expect('polluted' in {}).toBe(false)
  expect(readForm(Buffer.from('a=1&a[b]=2'))).toBeUndefined()
  expect(readForm(Buffer.from(`a${'[b]'.repeat(10)}=1`))).toBeUndefined()
})
