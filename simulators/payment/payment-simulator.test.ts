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

const cardOf = async (stripe: Stripe, last4: string) => {
  const { id: customer } = await stripe.customers.create({ metadata: { account_id: 'x' } })
  const urls = { success_url: 'http://127.0.0.1/done' }
  const setup = await stripe.checkout.sessions.create({
    mode: 'setup',
    customer,
    allowed_payment_method_types: ['card'],
    ...urls,
  })
  await fetch(`${setup.url}/save-${last4}`, { method: 'POST', redirect: 'manual' })
  const events = simulator.events().filter(({ type }) => type === 'payment_method.attached')
  const { object } = JSON.parse(events.at(-1)?.body ?? '').data
  const create = (idempotencyKey: string) =>
    stripe.paymentIntents.create(
      {
        amount: 1_000,
        currency: 'usd',
        customer,
        payment_method: object.id,
        description: 'Credits',
        allowed_payment_method_types: ['card'],
      },
      { idempotencyKey },
    )
  const confirm = (id: string, idempotencyKey: string) =>
    stripe.paymentIntents.confirm(id, { payment_method: object.id, off_session: true }, { idempotencyKey })
  return { method: object, create, confirm }
}

test('a saved card is charged without its holder, once, until it is detached', async () => {
  const stripe = connect(key)
  const { method, create, confirm } = await cardOf(stripe, '4242')
  expect(method).toMatchObject({ card: { brand: 'visa', last4: '4242' } })
  const { id, status } = await create('one')
  expect(status).toBe('requires_confirmation')
  expect((await create('one')).id).toBe(id)
  const paid = { status: 'succeeded', amount_received: 1_000 }
  expect(await confirm(id, 'first')).toMatchObject(paid)
  expect(await confirm(id, 'first')).toMatchObject(paid)
  const unexpected = { statusCode: 400, code: 'payment_intent_unexpected_state' }
  await expect(confirm(id, 'second')).rejects.toMatchObject(unexpected)
  await expect(stripe.paymentIntents.cancel(id)).rejects.toMatchObject(unexpected)
  const other = await create('two')
  await stripe.paymentMethods.detach(method.id)
  const missing = { statusCode: 400, code: 'resource_missing' }
  await expect(confirm(other.id, 'detached')).rejects.toMatchObject(missing)
  await expect(create('three')).rejects.toMatchObject(missing)
})

test('a cancelled charge is never confirmed', async () => {
  const stripe = connect(key)
  const { create, confirm } = await cardOf(stripe, '4242')
  const { id } = await create('cancelled')
  expect(await stripe.paymentIntents.cancel(id)).toMatchObject({ status: 'canceled' })
  await expect(confirm(id, 'late')).rejects.toMatchObject({ code: 'payment_intent_unexpected_state' })
  expect((await stripe.paymentIntents.retrieve(id)).amount_received).toBe(0)
})

test.each([
  ['0341', { code: 'card_declined', decline_code: 'generic_decline' }],
  ['9987', { decline_code: 'lost_card', advice_code: 'do_not_try_again' }],
  ['3184', { code: 'authentication_required' }],
])('a charge of the card %s fails as at Stripe, and again under the same key', async (last4, error) => {
  const { create, confirm } = await cardOf(connect(key), last4)
  const { id } = await create(last4)
  const refused = { ...error, type: 'StripeCardError', statusCode: 402 }
  const intent = { status: 'requires_payment_method', last_payment_error: error }
  await expect(confirm(id, `${last4} confirm`)).rejects.toMatchObject({ ...refused, payment_intent: intent })
  await expect(confirm(id, `${last4} confirm`)).rejects.toMatchObject(refused)
})
