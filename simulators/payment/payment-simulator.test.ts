import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { perFile } from '../../test/harness/per-file.ts'
import { startPaymentSimulator } from './start-payment-simulator.ts'

const key = 'sk_test_of_the_simulator'
const simulator = perFile(() =>
  startPaymentSimulator({ key, webhookUrl: 'http://127.0.0.1:9/', webhookSecret: 'whsec_x' }),
)

function connect(apiKey: string): Stripe {
  const { hostname: host, port } = new URL(simulator.url)
  return new Stripe(apiKey, { host, port, protocol: 'http', maxNetworkRetries: 0 })
}

const params = (amount = 1_000): Stripe.Checkout.SessionCreateParams => ({
  mode: 'payment',
  success_url: 'http://127.0.0.1/done',
  line_items: [
    { quantity: 1, price_data: { currency: 'usd', unit_amount: amount, product_data: { name: 'Credits' } } },
  ],
})

test('an invalid key, an unknown parameter and an amount below the minimum fail as at Stripe', async () => {
  const create = (fields: object, apiKey = key) =>
    connect(apiKey).checkout.sessions.create({ ...params(), ...fields })
  await expect(create({}, 'sk_test_other')).rejects.toMatchObject({ statusCode: 401 })
  const param = 'allow_promotion_codes'
  await expect(create({ [param]: true })).rejects.toMatchObject({ statusCode: 400, param })
  await expect(create(params(49))).rejects.toMatchObject({ statusCode: 400 })
})

test('refunds are limited to the rest of the payment', async () => {
  const stripe = connect(key)
  const session = await stripe.checkout.sessions.create(params())
  await fetch(`${session.url}/pay`, { method: 'POST', redirect: 'manual' })
  const { payment_intent } = await stripe.checkout.sessions.retrieve(session.id)
  const refund = (amount: number) => stripe.refunds.create({ payment_intent: String(payment_intent), amount })
  expect(await refund(400)).toMatchObject({ status: 'succeeded' })
  await expect(refund(601)).rejects.toMatchObject({ param: 'amount' })
})
