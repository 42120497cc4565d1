import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { expectLedgerToBalance } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'
import { aPaymentSystem, inNanos } from './a-payment-system.ts'

const system = perFile(() => aPaymentSystem({ CALLS_PER_ADDRESS: '300', TRUSTED_PROXIES: '127.0.0.1/32' }))
afterEach(() => expectLedgerToBalance(system.context.sql))

/** Sends a body as Stripe would: signed at `atSeconds`, by `secret`. */
function deliver(
  body: string,
  {
    secret = system.webhookSecret,
    atSeconds = Math.floor(Date.now() / 1000),
    sent = body,
    from = '198.51.100.1',
  }: { secret?: string; atSeconds?: number; sent?: string; from?: string } = {},
): Promise<Response> {
  const signed = { payload: body, secret, timestamp: atSeconds }
  const signature = system.stripe.webhooks.generateTestHeaderString(signed)
  return fetch(`${system.edge.url}/api/v1/webhooks/stripe`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': signature,
      'x-forwarded-for': from,
    },
    body: sent,
  })
}

/** A top-up of ten dollars, begun, and events about it. */
async function aTopUp() {
  const { accountId, token } = await system.aPerson()
  const { id, checkout_url } = await system.topUp(token, 10)
  const sessionId = checkout_url.split('/').at(-1) ?? ''
  const events = randomUUID()
  const event = (type: string, changes: Record<string, unknown> = {}, name = type) =>
    JSON.stringify(
      {
        id: `evt_${events}_${name}`,
        object: 'event',
        type,
        created: Math.floor(Date.now() / 1000),
        data: {
          object: {
            id: sessionId,
            object: 'checkout.session',
            amount_total: 1000,
            currency: 'usd',
            metadata: { payment_id: id, account_id: accountId },
            payment_intent: `pi_${events}`,
            payment_status: 'paid',
            ...changes,
          },
        },
      },
      null,
      2, // Stripe's own are not compact either: what is signed is the text, not its meaning
    )
  return { accountId, id, paymentIntentId: `pi_${events}`, event }
}

const completed = 'checkout.session.completed'

test('an event that another secret signed, that was changed, that is old or has no signature credits nothing', async () => {
  const { accountId, event } = await aTopUp()
  const body = event(completed)
  const now = Math.floor(Date.now() / 1000)
  const address = `${system.edge.url}/api/v1/webhooks/stripe`
  const refused = await Promise.all([
    deliver(body, { secret: 'whsec_another000000000000000000000000' }),
    deliver(body, { sent: body.replace('1000', '1001') }),
    deliver(body, { sent: JSON.stringify(JSON.parse(body)) }),
    deliver(body, { atSeconds: now - 301 }),
    fetch(address, { method: 'POST', body }),
    fetch(address, { method: 'POST', body, headers: { 'stripe-signature': `t=${now},v1=` } }),
    deliver(''),
  ])
  expect(refused.map(({ status }) => status)).toEqual(Array(7).fill(400))
  expect(await refused[0]?.json()).toMatchObject({ code: 400, error: { code: 'webhook_refused' } })
  expect(await system.creditsOf(accountId)).toBe(0n)
  expect((await deliver(body)).status).toBe(200)
  expect(await system.creditsOf(accountId)).toBe(inNanos(10))
})

test('only POST is taken, and at most 256 kB', async () => {
  const { event } = await aTopUp()
  const got = await fetch(`${system.edge.url}/api/v1/webhooks/stripe`)
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST'])
  expect((await deliver(event(completed, { filler: 'x'.repeat(300_000) }))).status).toBe(413)
  expect((await deliver('not json')).status).toBe(400)
})

test('a signed event of another shape than Stripe documents is a 400, and credits nothing', async () => {
  const { accountId, event } = await aTopUp()
  const shapes = [
    { amount_total: '1000' },
    { amount_total: 1000.5 },
    { currency: 840 },
    { id: null },
    { payment_intent: 7 },
    { metadata: 'pay_0' },
    { payment_status: ['paid'] },
  ]
  const bodies = [...shapes.map(changes => event(completed, changes)), '{}', '[]', 'null', '"text"']
  const answers = await Promise.all(bodies.map(body => deliver(body)))
  expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 400))
  expect(await system.creditsOf(accountId)).toBe(0n)
})

test('an event, or a signature, of more than five minutes ahead is refused', async () => {
  const { accountId, event } = await aTopUp()
  const body = event(completed)
  const laterSeconds = Math.floor(Date.now() / 1000) + 600
  const fromLater = JSON.stringify({ ...JSON.parse(body), created: laterSeconds })
  const answers = await Promise.all([deliver(body, { atSeconds: laterSeconds }), deliver(fromLater)])
  expect(answers.map(({ status }) => status)).toEqual([400, 400])
  expect(await system.creditsOf(accountId)).toBe(0n)
  expect((await deliver(body)).status).toBe(200)
})

test('a replay a day later credits nothing: as it was it is too old, signed anew it is known', async () => {
  const { accountId, event } = await aTopUp()
  const body = event(completed)
  await deliver(body)
  const yesterday = Math.floor(Date.now() / 1000) - 86_400
  expect((await deliver(body, { atSeconds: yesterday })).status).toBe(400)
  await system.context.sql`update payment_events set received_at = received_at - interval '1 day'`
  expect((await deliver(body)).status).toBe(200)
  expect((await deliver(event(completed, {}, 'told under another id'))).status).toBe(200)
  expect(await system.creditsOf(accountId)).toBe(inNanos(10))
})

test.each([
  ['of another amount', { amount_total: 1001 }, 'other_amount'],
  ['of no amount', { amount_total: null }, 'other_amount'],
  ['of another currency', { currency: 'eur' }, 'other_currency'],
  ['of another session', { id: 'cs_test_other' }, 'other_session'],
  ['of a payment that does not exist', { metadata: { payment_id: 'pay_0' } }, 'unknown_payment'],
  ['of an account that is no id', { metadata: { payment_id: 'pay_0', account_id: "'" } }, 'unknown_payment'],
  ['that names nobody', { metadata: {} }, 'unknown_payment'],
  ['without metadata', { metadata: null }, 'unknown_payment'],
])('an event %s is taken and told, and credits nothing', async (_, changes, outcome) => {
  const { accountId, event } = await aTopUp()
  expect((await deliver(event(completed, changes))).status).toBe(200)
  expect(await system.creditsOf(accountId)).toBe(0n)
  expect(await outcomesOf(event(completed))).toEqual([outcome])
  expect((await deliver(event(completed, {}, 'as it should be'))).status).toBe(200)
  expect(await system.creditsOf(accountId)).toBe(inNanos(10))
})

test.each([
  [['unpaid', 'succeeded'], 10],
  [['unpaid', 'failed'], 0],
  [['succeeded', 'unpaid'], 10],
  [['failed', 'succeeded'], 10],
  [['succeeded', 'failed'], 10],
  [['expired', 'paid'], 10],
  [['paid', 'expired'], 10],
  [['paid', 'succeeded'], 10],
])('events in the order %s end with %d dollars', async (order, credits) => {
  const { accountId, event } = await aTopUp()
  const bodies: Record<string, string> = {
    unpaid: event(completed, { payment_status: 'unpaid' }, 'unpaid'),
    paid: event(completed),
    succeeded: event('checkout.session.async_payment_succeeded'),
    failed: event('checkout.session.async_payment_failed', { payment_status: 'unpaid' }),
    expired: event('checkout.session.expired', { payment_status: 'unpaid', payment_intent: null }),
  }
  for (const name of order) expect((await deliver(bodies[name] ?? '')).status).toBe(200)
  expect(await system.creditsOf(accountId)).toBe(inNanos(credits))
})

test('ten deliveries of four events at once credit once', async () => {
  const { accountId, event } = await aTopUp()
  const bodies = [1, 2, 3, 4].map(number => event(completed, {}, `event ${number}`))
  const answers = await Promise.all(
    Array(10)
      .fill(bodies)
      .flat()
      .map(body => deliver(body)),
  )
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect(await system.creditsOf(accountId)).toBe(inNanos(10))
})

test('what Stripe tells of other things is taken, and nothing is done', async () => {
  const { accountId, event } = await aTopUp()
  expect((await deliver(event('charge.succeeded'))).status).toBe(200)
  expect((await deliver(event('customer.created'))).status).toBe(200)
  expect(await system.creditsOf(accountId)).toBe(0n)
})

test('strangers who send what is not signed are cut off by their address, and Stripe is not', async () => {
  const { accountId, event } = await aTopUp()
  const body = event(completed)
  const forged = { secret: 'whsec_another000000000000000000000000', from: '203.0.113.9' }
  const statuses = new Set<number>()
  for (let turn = 0; turn < 6; turn++) {
    const round = await Promise.all(Array.from({ length: 60 }, () => deliver(body, forged)))
    for (const { status } of round) statuses.add(status)
  }
  expect([...statuses].sort()).toEqual([400, 429])
  const refused = await deliver(body, { from: forged.from })
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
  expect((await deliver(body)).status).toBe(200)
  expect(await system.creditsOf(accountId)).toBe(inNanos(10))
})

async function outcomesOf(body: string): Promise<string[]> {
  const { id } = JSON.parse(body)
  const rows = await system.context.sql<{ outcome: string }[]>`
    select outcome from payment_events where id = ${id}`
  return rows.map(({ outcome }) => outcome)
}
