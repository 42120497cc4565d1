import { afterEach, expect, test } from 'vitest'
import { findMissedEvents } from '../../domain/billing/find-missed-events.ts'
import type { PaymentEvent } from '../../domain/billing/payment-event.ts'
import { receiveEvent } from '../../domain/billing/receive-event.ts'
import { openPayments } from '../../domain/stripe/open-payments.ts'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aPaymentSystem, inNanos } from './a-payment-system.ts'

const system = perFile(aPaymentSystem)
afterEach(async () => {
  system.processor.change({ duplicates: 0, outage: false })
  await expectLedgerToBalance(system.context.sql)
})

test('Billing, POST /api/v1/billing/topup: starts a card purchase; on confirmation the amount is added to credits', async () => {
  const { accountId, token } = await system.aPerson()

  const { status, body } = await system.rest('POST', '/billing/topup', { token, body: { amount: 25.5 } })

  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.stringMatching(/^pay_[0-9a-f]{32}$/),
    amount: 25.5,
    currency: 'USD',
    status: 'pending',
    checkout_url: expect.stringContaining(`${system.processor.url}/c/pay/`),
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/),
  })
  expect(await system.creditsOf(accountId)).toBe(0n)
  expect(await (await fetch(body.checkout_url)).text()).toContain('25.50 USD')
  const paid = await system.press(body.checkout_url, 'pay')
  expect(paid.status).toBe(303)
  await expect.poll(() => system.creditsOf(accountId)).toBe(inNanos(25.5))
  const { pathname, searchParams } = new URL(paid.headers.get('location') ?? '')
  expect(searchParams.get('top_up')).toBe(body.id)
  const back = await fetch(system.edge.url + pathname)
  expect([back.status, back.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])

  const balance = await system.rest('GET', '/billing/balance', { token })
  expect(balance.body).toEqual({ credits: 25.5, held: 0, available: 25.5, currency: 'USD' })
  const { body: list } = await system.rest('GET', '/billing/transactions', { token })
  expect(list.data).toMatchObject([
    { credits: 25.5, amount: 25.5, payment_method: 'stripe', status: 'completed', request_id: null },
  ])
})

test('an event that is sent four times, at once and again later, credits once', async () => {
  system.processor.change({ duplicates: 3 })
  const { accountId, token } = await system.aPerson()
  const { checkout_url } = await system.topUp(token, 10)
  await system.press(checkout_url, 'pay')
  const event = () => system.processor.events().findLast(({ type }) => type === 'checkout.session.completed')
  await expect.poll(() => event()?.statuses).toEqual([200, 200, 200, 200])
  await fetch(`${system.processor.url}/events/${event()?.id}/send`, { method: 'POST', redirect: 'manual' })
  expect(event()?.statuses).toHaveLength(5)
  expect(await system.creditsOf(accountId)).toBe(inNanos(10))
})

test('an event that comes while the control plane is away is sent again, and credits then', async () => {
  const { accountId, token } = await system.aPerson()
  const { checkout_url } = await system.topUp(token, 3)
  system.processor.sendTo('http://127.0.0.1:9/')
  await system.press(checkout_url, 'pay')
  await expect.poll(() => system.processor.events().at(-1)?.statuses.length).toBeGreaterThan(0)
  expect(await system.creditsOf(accountId)).toBe(0n)
  system.processor.sendTo(`${system.edge.url}/api/v1/webhooks/stripe`)
  await expect.poll(() => system.creditsOf(accountId)).toBe(inNanos(3))
})

test.each([
  ['less than a dollar', { amount: 0.99 }, 'amount'],
  ['more than ten thousand', { amount: 10_000.01 }, 'amount'],
  ['three decimals', { amount: 1.001 }, 'amount'],
  ['a negative amount', { amount: -5 }, 'amount'],
  ['text', { amount: 'ten' }, 'amount'],
  ['no amount', {}, 'amount'],
  ['null', { amount: null }, 'amount'],
  ['an unknown field', { amount: 5, currency: 'eur' }, 'currency'],
])('%s is refused, naming the parameter, and begins nothing', async (_, body, param) => {
  const { accountId, token } = await system.aPerson()
  const answer = await system.rest('POST', '/billing/topup', { token, body })
  expect(answer.status).toBe(422)
  expect(answer.body.error).toMatchObject({ code: 'validation_failed', param })
  expect(await paymentsOf(accountId)).toEqual([])
})

test.each([1, 10_000, 1234.56])('%d dollars can be paid', async amount => {
  const { accountId, token } = await system.aPerson()
  await system.press((await system.topUp(token, amount)).checkout_url, 'pay')
  await expect.poll(() => system.creditsOf(accountId)).toBe(inNanos(amount))
})

test('twenty tries at once under one Idempotency-Key are one top-up, one session and one answer; another amount is a 409', async () => {
  const { accountId, token } = await system.aPerson()
  const before = system.processor.calls.length
  const headers = { 'idempotency-key': 'my order 7' }
  const send = (amount: number) => system.rest('POST', '/billing/topup', { token, headers, body: { amount } })
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(7)))
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(await paymentsOf(accountId)).toHaveLength(1)
  const sessions = system.processor.calls.slice(before).filter(({ path }) => path.includes('sessions'))
  const keys = sessions.map(call => call.headers['idempotency-key'])
  expect(new Set(keys)).toEqual(new Set([answers[0]?.body.id]))

  const other = await send(8)
  expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
  const stranger = await system.aPerson()
  const theirs = { token: stranger.token, headers, body: { amount: 9 } }
  expect((await system.rest('POST', '/billing/topup', theirs)).status).toBe(201)
})

test('an Idempotency-Key is good for a day', async () => {
  const { accountId, token } = await system.aPerson()
  const headers = { 'idempotency-key': 'daily' }
  const send = (amount: number) => system.rest('POST', '/billing/topup', { token, headers, body: { amount } })
  const first = await send(5)
  await system.context.sql`
    update payments set created_at = created_at - interval '25 hours' where account_id = ${accountId}`
  const second = await send(6)
  expect([second.status, second.body.amount]).toEqual([201, 6])
  expect(second.body.id).not.toBe(first.body.id)
})

test('while Stripe is out a top-up is a clear error that charged nothing, and the same key makes up for it', async () => {
  const { accountId, token } = await system.aPerson()
  const headers = { 'idempotency-key': 'patience' }
  const send = () => system.rest('POST', '/billing/topup', { token, headers, body: { amount: 5 } })
  system.processor.change({ outage: true })
  const refused = await send()
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(refused.body.msg).toBe(
    'The card processor is busy or has a fault. Nothing was charged. Retry later.',
  )
  expect(JSON.stringify(refused.body)).not.toContain(system.processor.key)
  expect(await paymentsOf(accountId)).toMatchObject([{ status: 'pending', session_id: null }])

  system.processor.change({ outage: false })
  const { status, body } = await send()
  expect(status).toBe(201)
  expect(await paymentsOf(accountId)).toHaveLength(1)
  await system.press(body.checkout_url, 'pay')
  await expect.poll(() => system.creditsOf(accountId)).toBe(inNanos(5))
})

test('fifty top-ups of an hour may wait to be paid', async () => {
  const { accountId, token } = await system.aPerson()
  await system.context.sql`
    insert into payments (account_id, id, amount_nanos, currency)
    select ${accountId}, 'pay_' || n, 5000000000, 'usd' from generate_series(1, 50) n`
  const refused = await system.rest('POST', '/billing/topup', { token, body: { amount: 5 } })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600'])
  await system.context.sql`update payments set status = 'expired' where account_id = ${accountId}`
  expect((await system.rest('POST', '/billing/topup', { token, body: { amount: 5 } })).status).toBe(201)
})

test.each([
  ['pay-later', 'completed', 8],
  ['fail-later', 'failed', 0],
  ['expire', 'expired', 0],
  ['decline', 'pending', 0],
])('after %s the top-up is %s', async (action, status, credits) => {
  const { accountId, token } = await system.aPerson()
  const { checkout_url } = await system.topUp(token, 8)
  await system.press(checkout_url, action)
  await expect.poll(async () => (await paymentsOf(accountId))[0]?.status).toBe(status)
  expect(await system.creditsOf(accountId)).toBe(inNanos(credits))
})

async function paymentsOf(accountId: string) {
  return [...(await system.context.sql`select * from payments where account_id = ${accountId}`)]
}

test('an event of Stripe that was never received is found, and applied once', async () => {
  const { context, config, processor } = system
  const { accountId, token } = await system.aPerson()
  const received = await system.topUp(token, 5)
  await system.press(received.checkout_url, 'pay')
  await expect.poll(() => system.creditsOf(accountId)).toBe(inNanos(5))

  processor.sendTo('http://127.0.0.1:9/') // deliveries are lost from here on
  const lost = await system.topUp(token, 10)
  await system.press(lost.checkout_url, 'pay')

  const payments = openPayments(config)
  const period = { since: new Date(Date.now() - 60_000), until: new Date(Date.now() + 60_000) }
  const missed = async () => {
    const events: PaymentEvent[] = []
    for await (const event of findMissedEvents({ ...context, payments }, period)) events.push(event)
    return events.filter(({ content }) => content?.kind === 'session')
  }
  await expect.poll(async () => (await missed()).length).toBe(1)
  const [event] = await missed()
  expect(event?.content).toMatchObject({ payment: { accountId, id: lost.id }, change: 'paid' })
  expect(await receiveEvent(context, event!)).toMatchObject({ outcome: 'credited' })
  expect(await system.creditsOf(accountId)).toBe(inNanos(15))
  expect(await missed()).toEqual([])
  payments.close()
  await expectLedgerToBalance(context.sql)
})
