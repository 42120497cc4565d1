import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { aPaymentSystem, type PaymentSystem } from '../payments/a-payment-system.ts'

// The tables "Authentication" and "Limits" of the interface, row by row: each test is named after its row.

let system: PaymentSystem
let jwt: string
let key: string

beforeAll(async () => {
  system = await aPaymentSystem({ RATE_REQUESTS: '20', RATE_WINDOW_SECONDS: '10' })
  const person = await system.aPerson()
  jwt = person.token
  key = await aKey()
  const credit = {
    accountId: person.accountId,
    amountNanos: 5_000_000_000n,
    source: 'test',
    paymentMethod: 'grant',
  }
  await creditAccount(system.context, credit)
})
afterAll(() => system.close())

async function aKey(settings: object = {}): Promise<string> {
  const { body } = await system.rest('POST', '/api-keys', {
    token: jwt,
    body: { name: 'a key', ...settings },
  })
  return body.key
}

const chat = { model: 'vendor_a/atlas', messages: [{ role: 'user', content: 'Hello' }] }

async function post(path: string, body: unknown, headers: Record<string, string>) {
  const response = await fetch(system.baseURL + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: JSON.parse(text) }
}

const chatWith = (credential: string) =>
  post('/chat/completions', chat, {
    authorization: `Bearer ${credential}`,
    'content-type': 'application/json',
  })

describe('inference endpoints', () => {
  const endpoints = [
    '/chat/completions',
    '/responses',
    '/images/generations',
    '/videos/generations',
    '/audio/speech',
    '/audio/generations',
    '/uploads',
  ]
  const noAccess = { code: 401, msg: 'You do not have access permissions' }

  test.each(endpoints)('%s: a missing or wrong Authorization header is a 401', async path => {
    const json = { 'content-type': 'application/json' }
    for (const authorization of [undefined, 'Bearer nonsense', `Basic ${key}`, key, `Bearer ${jwt}`]) {
      const answer = await post(path, {}, { ...json, ...(authorization && { authorization }) })
      expect([answer.status, answer.body], String(authorization)).toEqual([401, noAccess])
    }
  })

  test.each(endpoints.filter(path => path !== '/uploads'))(
    '%s: a missing or wrong Content-Type header is a 401',
    async path => {
      const authorization = `Bearer ${await aKey()}`
      for (const type of ['text/plain', 'application/xml', '']) {
        const answer = await post(path, {}, { authorization, 'content-type': type })
        expect([answer.status, answer.body], type).toEqual([401, noAccess])
      }
    },
  )

  test('Authorization: Bearer <API_KEY> and Content-Type: application/json', async () => {
    expect((await chatWith(await aKey())).status).toBe(200)
  })
})

describe('surfaces', () => {
  test('API key management: JWT; an API key is rejected', async () => {
    expect((await system.rest('GET', '/api-keys', { token: jwt })).status).toBe(200)
    expect((await system.rest('GET', '/api-keys', { token: key })).status).toBe(401)
  })

  test('BYOK: JWT or API key', async () => {
    for (const token of [jwt, key]) expect((await system.rest('GET', '/byok', { token })).status).toBe(200)
  })

  test('models: an API key', async () => {
    for (const token of [jwt, key]) expect((await system.rest('GET', '/models', { token })).status).toBe(200)
    expect((await system.rest('GET', '/models')).status).toBe(401)
  })
})

describe('rules', () => {
  test('the BYOK upstream credential is data, and never an Authorization of ours', async () => {
    const own = { provider: 'vendor_b', label: 'own', api_key: 'sim-own-credential' }
    expect((await system.rest('POST', '/byok', { token: jwt, body: own })).status).toBe(201)
    expect((await chatWith('sim-own-credential')).status).toBe(401)
    expect((await system.rest('GET', '/me', { token: 'sim-own-credential' })).status).toBe(401)
  })

  test('each key may carry an IP allow list, request and token rate limits and a spend cap', async () => {
    expect((await chatWith(await aKey({ ip_whitelist: ['203.0.113.7'] }))).status).toBe(403)
    expect((await chatWith(await aKey({ ip_whitelist: ['127.0.0.0/8'] }))).status).toBe(200)
    expect((await chatWith(await aKey({ rate_limit_rpm: 0 }))).status).toBe(429)
    expect((await chatWith(await aKey({ rate_limit_tph: 1 }))).status).toBe(400)
    expect((await chatWith(await aKey({ rate_limit_tpd: 1 }))).status).toBe(400)
    expect((await chatWith(await aKey({ credit_limit: 0 }))).status).toBe(402)
  })

  test('the key secret is shown only at creation; later reads expose the masked prefix, and full_key for newer keys', async () => {
    const { body } = await system.rest('POST', '/api-keys', { token: jwt, body: { name: 'shown once' } })
    const list = await system.rest('GET', '/api-keys', { token: jwt })
    const record = list.body.find(({ id }: { id: string }) => id === body.id)
    expect(record.key).toBeUndefined()
    expect(record.key_prefix).not.toContain(body.key.slice(12, -4))
    expect(record.full_key).toBe(body.key)
  })
})

describe('limits', () => {
  test('new requests per API key: 20 per 10 seconds by default; excess gets 429 with Retry-After', async () => {
    const burst = await aKey()
    const answers = await Promise.all(Array.from({ length: 25 }, () => chatWith(burst)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(refused).toHaveLength(5)
    for (const { headers, body } of refused) {
      expect(headers.get('retry-after')).toMatch(/^([1-9]|1[01])$/)
      expect(body).toMatchObject({ code: 429, error: { code: 'rate_limit_exceeded' } })
    }
  })

  test('per-key rate limits: rate_limit_rpm; omitted means unlimited', async () => {
    const limited = await aKey({ rate_limit_rpm: 2 })
    const statuses = []
    for (let turn = 0; turn < 3; turn++) statuses.push((await chatWith(limited)).status)
    expect(statuses).toEqual([200, 200, 429])
  })

  test('IP allow list: at most 10 entries on key create and update', async () => {
    const ranges = Array.from({ length: 11 }, (_, index) => `10.0.${index}.0/24`)
    const create = (ip_whitelist: string[]) =>
      system.rest('POST', '/api-keys', { token: jwt, body: { name: 'a key', ip_whitelist } })
    expect((await create(ranges)).status).toBe(422)
    const { status, body } = await create(ranges.slice(1))
    expect(status).toBe(201)
    const update = { token: jwt, body: { ip_whitelist: ranges } }
    expect((await system.rest('PUT', `/api-keys/${body.id}`, update)).status).toBe(422)
  })

  test.each([
    ['', 422],
    ['x', 201],
    ['x'.repeat(100), 201],
    ['x'.repeat(101), 422],
  ])('BYOK label: 1 to 100 characters: %s is %i', async (label, expected) => {
    const body = { provider: 'vendor_c', label, api_key: 'sim-own-credential' }
    expect((await system.rest('POST', '/byok', { token: jwt, body })).status).toBe(expected)
  })

  test('BYOK priority: -1000 to 1000 on create and update', async () => {
    const body = { provider: 'vendor_c', label: 'x', api_key: 'sim-own-credential', priority: 4000 }
    const created = await system.rest('POST', '/byok', { token: jwt, body })
    expect(created.body.priority).toBe(1000)
    const update = { token: jwt, body: { priority: -4000 } }
    expect((await system.rest('PUT', `/byok/${created.body.id}`, update)).body.priority).toBe(-1000)
  })
})
