import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { aPaymentSystemWithMail, type PaymentSystem } from '../payments/a-payment-system.ts'

// The tables "Billing" of the interface, row by row: each test is named after its row.

let system: Awaited<ReturnType<typeof aPaymentSystemWithMail>>

beforeAll(async () => {
  system = await aPaymentSystemWithMail()
})
afterAll(() => system.close())

interface Customer {
  accountId: string
  token: string
  rest(method: string, path: string, body?: unknown): ReturnType<PaymentSystem['rest']>
  chat(content?: string): Promise<Response>
}

/** Somebody with two dollars and a key. */
async function aCustomer(creditNanos = 2_000_000_000n): Promise<Customer> {
  const { accountId, token } = await system.aPerson()
  if (creditNanos > 0n)
    await creditAccount(system.context, {
      accountId,
      amountNanos: creditNanos,
      source: 'test',
      paymentMethod: 'grant',
    })
  await system.context.sql`update users set email_confirmed_at = now() where account_id = ${accountId}`
  const rest: Customer['rest'] = (method, path, body) => system.rest(method, path, { token, body })
  const { key } = (await rest('POST', '/api-keys', { name: 'a key' })).body
  return {
    accountId,
    token,
    rest,
    chat: (content = 'Hello') =>
      fetch(`${system.baseURL}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'vendor_a/atlas', messages: [{ role: 'user', content }] }),
      }),
  }
}

const balanceOf = async ({ rest }: Customer) => (await rest('GET', '/billing/balance')).body

describe('balance', () => {
  test('GET /api/v1/billing/balance: {credits, held, available, currency}', async () => {
    const { status, body } = await (await aCustomer()).rest('GET', '/billing/balance')
    expect([status, body]).toEqual([200, { credits: 2, held: 0, available: 2, currency: 'USD' }])
  })

  test('held: reservations for pending work, not yet deducted from credits; available: credits minus held', async () => {
    const customer = await aCustomer()
    const running = customer.chat('Hi [[fault: slow;ms=1500]]')
    await expect.poll(async () => (await balanceOf(customer)).held).toBeGreaterThan(0)
    const { credits, held, available } = await balanceOf(customer)
    expect(credits).toBe(2)
    expect(available).toBeCloseTo(credits - held, 9)
    await (await running).text()
    await expect.poll(async () => (await balanceOf(customer)).held).toBe(0)
  })

  test('credits: changed only by top-ups and completed charges', async () => {
    const customer = await aCustomer()
    await (await customer.chat('Hi [[fault: 500]]')).text()
    await expect
      .poll(() => balanceOf(customer))
      .toEqual({ credits: 2, held: 0, available: 2, currency: 'USD' })
    await (await customer.chat()).text()
    expect((await balanceOf(customer)).credits).toBeLessThan(2)
  })

  test('402: a cost that exceeds available is rejected', async () => {
    const customer = await aCustomer(0n)
    const response = await customer.chat()
    expect([response.status, (await response.json()).error.code]).toEqual([402, 'insufficient_credits'])
  })
})

describe('transactions', () => {
  test('GET /api/v1/billing/transactions: {data: [transaction], total, page, per_page}; page default 1, per_page default 20', async () => {
    const customer = await aCustomer()
    for (let turn = 0; turn < 3; turn++) await (await customer.chat()).text()
    const { status, body } = await customer.rest('GET', '/billing/transactions')
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['data', 'total', 'page', 'per_page'])
    expect(body).toMatchObject({ total: 4, page: 1, per_page: 20 })
    const second = (await customer.rest('GET', '/billing/transactions?page=2&per_page=3')).body
    expect(second).toMatchObject({ data: [body.data[3]], total: 4, page: 2, per_page: 3 })
  })

  test('credits: negative for usage, positive for top-up; amount: absolute; payment_method; status; created_at', async () => {
    const customer = await aCustomer(0n)
    const { checkout_url } = await system.topUp(customer.token, 3)
    await system.press(checkout_url, 'pay')
    await expect.poll(async () => (await balanceOf(customer)).credits).toBe(3)
    await (await customer.chat()).text()
    const { data } = (await customer.rest('GET', '/billing/transactions')).body
    const [usage, topUp] = data
    expect(usage).toMatchObject({ payment_method: 'usage', status: 'completed', amount: -usage.credits })
    expect(usage.credits).toBeLessThan(0)
    expect(topUp).toMatchObject({ payment_method: 'stripe', status: 'completed', credits: 3, amount: 3 })
    for (const { id, created_at } of data) {
      expect(id).toMatch(/^txn_/)
      expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT/)
    }
  })

  test('only top-ups and completed usage charges are transactions; reservations and failures are not', async () => {
    const customer = await aCustomer()
    const running = customer.chat('Hi [[fault: slow;ms=1000]]')
    await expect.poll(async () => (await balanceOf(customer)).held).toBeGreaterThan(0)
    const total = async () => (await customer.rest('GET', '/billing/transactions')).body.total
    expect(await total()).toBe(1)
    await (await running).text()
    expect(await total()).toBe(2)
    await (await customer.chat('Hi [[fault: 500]]')).text()
    expect(await total()).toBe(2)
  })
})

describe('top-up', () => {
  test('POST /api/v1/billing/topup: starts a card purchase; on payment confirmation the amount is added to credits', async () => {
    const customer = await aCustomer(0n)
    const { status, body } = await customer.rest('POST', '/billing/topup', { amount: 12.5 })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      amount: 12.5,
      currency: 'USD',
      status: 'pending',
      checkout_url: expect.stringMatching(/^http/),
      created_at: expect.stringMatching(/^\d{4}-/),
    })
    expect((await balanceOf(customer)).credits).toBe(0)
    await system.press(body.checkout_url, 'pay')
    await expect.poll(async () => (await balanceOf(customer)).credits).toBe(12.5)
  })

  test.each([
    ['amount: required', {}],
    ['amount: number', { amount: 'ten' }],
    ['amount: at least 1 dollar', { amount: 0.99 }],
    ['amount: at most 10,000 dollars', { amount: 10_000.01 }],
    ['amount: at most two decimals', { amount: 1.001 }],
  ])('%s', async (_, body) => {
    const answer = await (await aCustomer(0n)).rest('POST', '/billing/topup', body)
    expect([answer.status, answer.body.error.param]).toEqual([422, 'amount'])
  })
})

describe('alerts', () => {
  test('POST /api/v1/billing/alerts: threshold (number, required)', async () => {
    const customer = await aCustomer()
    const { status, body } = await customer.rest('POST', '/billing/alerts', { threshold: 1.5 })
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual(['id', 'threshold', 'last_sent_at', 'created_at'])
    expect((await customer.rest('POST', '/billing/alerts', {})).status).toBe(422)
  })

  test('low-balance e-mail: sent when credits falls below the alert threshold', async () => {
    const customer = await aCustomer()
    const { id } = (await customer.rest('POST', '/billing/alerts', { threshold: 2 })).body
    const mails = () => system.mailbox.mails.filter(({ text }) => text.includes(id))
    expect(mails()).toEqual([])
    await (await customer.chat()).text()
    await expect.poll(() => mails().length).toBe(1)
  })

  test('DELETE /api/v1/billing/alerts/{id}', async () => {
    const customer = await aCustomer()
    const { id } = (await customer.rest('POST', '/billing/alerts', { threshold: 2 })).body
    const { status, body } = await customer.rest('DELETE', `/billing/alerts/${id}`)
    expect([status, body]).toEqual([204, undefined])
    await (await customer.chat()).text()
    const [jobs] = await system.context.sql`
      select count(*)::integer as waiting from graphile_worker._private_jobs where payload ->> 'alertId' = ${id}`
    expect(jobs).toEqual({ waiting: 0 })
    expect(system.mailbox.mails.filter(({ text }) => text.includes(id))).toEqual([])
  })
})

describe('credential types', () => {
  test.each([
    ['balance', 'GET', '/billing/balance', [200, 200, 200]],
    ['transactions', 'GET', '/billing/transactions', [200, 200, 200]],
    ['top-up', 'POST', '/billing/topup', [201, 201, 403]],
    ['alerts', 'POST', '/billing/alerts', [201, 201, 403]],
    ['the list of alerts', 'GET', '/billing/alerts', [200, 200, 403]],
    ['an alert', 'DELETE', '/billing/alerts/x', [404, 404, 403]],
  ])('%s: JWT, provisioning key, ordinary key', async (_, method, path, statuses) => {
    const customer = await aCustomer()
    const keys = [{ is_provisioning: true }, {}].map(async settings => {
      const { body } = await customer.rest('POST', '/api-keys', { name: 'a key', ...settings })
      return body.key
    })
    const body = method === 'POST' ? (path.endsWith('topup') ? { amount: 5 } : { threshold: 5 }) : undefined
    const answered = []
    for (const token of [customer.token, ...(await Promise.all(keys))])
      answered.push((await system.rest(method, path, { token, body })).status)
    expect(answered).toEqual(statuses)
    expect((await system.rest(method, path, { body })).status).toBe(401)
  })
})
