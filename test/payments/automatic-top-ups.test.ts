import { afterEach, expect, test } from 'vitest'
import { clientOf, saying } from '../harness/a-client.ts'
import { anApiKey } from '../harness/an-account.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aPaymentSystemWithMail, inNanos } from './a-payment-system.ts'

const system = perFile(aPaymentSystemWithMail)
afterEach(() => expectLedgerToBalance(system.context.sql))

/** Signs up a person with a confirmed address, who saves a card on Stripe's page. */
async function aPersonWithCard(last4: string) {
  const person = await system.aPerson()
  await system.context.sql`update users set email_confirmed_at = now() where email = ${person.email}`
  const call = (method: string, path: string, body?: object) =>
    system.rest(method, `/billing/${path}`, { token: person.token, body })
  const setup = await call('POST', 'card')
  expect(setup.status).toBe(201)
  await system.press(setup.body.url, `save-${last4}`)
  await expect.poll(async () => (await call('GET', 'card')).body.saved_card?.last4).toBe(last4)
  return { ...person, call }
}

const settings = { is_enabled: true, threshold: 9.999999, amount: 25, daily_maximum: 100 }

test('a request that lowers the credits below the threshold is followed by a top-up with a receipt', async () => {
  const { accountId, token, call } = await aPersonWithCard('4242')
  await system.press((await system.topUp(token, 10)).checkout_url, 'pay')
  await expect.poll(() => system.creditsOf(accountId)).toBe(inNanos(10))
  const off = await call('GET', 'automatic-topup')
  expect(off.body).toEqual({
    ...{ is_enabled: false, threshold: 10, amount: 50, daily_maximum: 200 },
    ...{ stop_reason: null, retry_at: null },
  })
  expect((await call('PUT', 'automatic-topup', settings)).body).toMatchObject(settings)

  const client = clientOf(system, await anApiKey(system.context, { accountId }))
  await expect
    .poll(async () => {
      expect((await client.post('/chat/completions', saying('Hi'))).status).toBe(200)
      return system.creditsOf(accountId)
    })
    .toBeGreaterThan(inNanos(30))
  const { body: list } = await call('GET', 'topup')
  expect(list).toMatchObject({ total: 2, page: 1 })
  expect(list.data[0]).toMatchObject({
    ...{ kind: 'automatic', amount: 25, tax: 0, status: 'completed', failure: null, checkout_url: null },
    receipt_url: expect.stringContaining(`${system.processor.url}/receipts/`),
  })
  expect((await call('GET', `topup/${list.data[0].id}`)).body).toEqual(list.data[0])
})

test('a card that requires authentication: the e-mail leads to a page whose payment switches it on again', async () => {
  const { accountId, email, call } = await aPersonWithCard('3184')
  expect((await call('PUT', 'automatic-topup', settings)).status).toBe(200)
  const mail = () =>
    system.mailbox.mails.find(
      ({ recipients, subject }) =>
        recipients.includes(email) && subject === 'Confirm the payment for your credits',
    )
  await expect.poll(() => mail()?.subject).toBeDefined()
  const off = { is_enabled: false, stop_reason: 'authentication_required' }
  expect((await call('GET', 'automatic-topup')).body).toMatchObject(off)
  expect(await system.creditsOf(accountId)).toBe(0n)

  const [url = ''] = /http\S+\/c\/pay\/\S+/.exec(mail()?.text ?? '') ?? []
  await system.press(url, 'pay')
  await expect.poll(() => system.creditsOf(accountId)).toBe(inNanos(25))
  await expect
    .poll(async () => (await call('GET', 'automatic-topup')).body)
    .toMatchObject({ is_enabled: true, stop_reason: null })
})

test('a removed card is detached at Stripe, and nothing can be switched on without one', async () => {
  const { accountId, call } = await aPersonWithCard('4242')
  expect((await call('DELETE', 'card')).status).toBe(204)
  expect((await call('GET', 'card')).body).toEqual({ saved_card: null })
  const detached = () =>
    system.processor.events().some(({ type, body }) => {
      const { object } = JSON.parse(body).data
      return type === 'payment_method.detached' && object.customer === null
    })
  await expect.poll(detached).toBe(true)
  const refused = await call('PUT', 'automatic-topup', settings)
  expect([refused.status, refused.body.error.param]).toEqual([422, 'is_enabled'])
  expect((await call('DELETE', 'card')).status).toBe(404)
  expect(await system.creditsOf(accountId)).toBe(0n)
})

test.each([
  ['threshold', 0],
  ['threshold', 10_001],
  ['amount', 0.5],
  ['amount', 10.001],
  ['daily_maximum', 24],
  ['daily_maximum', 100_001],
])('%s of %d is refused, naming the parameter', async (param, value) => {
  const { token } = await system.aPerson()
  const body = { amount: 25, [param]: value }
  const answer = await system.rest('PUT', '/billing/automatic-topup', { token, body })
  expect([answer.status, answer.body.error.param]).toEqual([422, param])
})
