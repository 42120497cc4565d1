import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { startControl } from '../../gateway/start-control.ts'
import { aPaymentSystem, type PaymentSystem } from '../payments/a-payment-system.ts'

// The tables "API keys" of the interface, row by row: each test is named after its row.

let system: PaymentSystem
let token: string

beforeAll(async () => {
  system = await aPaymentSystem()
  const person = await system.aPerson()
  token = person.token
  const credit = {
    accountId: person.accountId,
    amountNanos: 5_000_000_000n,
    source: 'test',
    paymentMethod: 'grant',
  }
  await creditAccount(system.context, credit)
})
afterAll(() => system.close())

const rest = (method: string, path: string, body?: unknown, credential: string | undefined = token) =>
  system.rest(method, path, { token: credential, body })
const create = async (body: object = {}) => (await rest('POST', '/api-keys', { name: 'a key', ...body })).body
const recordOf = async (id: string) =>
  (await rest('GET', '/api-keys')).body.find((record: { id: string }) => record.id === id)

/** The status and the error of a small chat with a key. */
async function chatWith(key: string): Promise<[status: number, code: string | undefined]> {
  const response = await fetch(`${system.baseURL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'vendor_a/atlas', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  const body = await response.json()
  return [response.status, body.error?.code]
}

describe('listed record fields', () => {
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
  const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

  test.each<[field: string, body: object, expected: unknown]>([
    ['id: string (UUID)', {}, { id: expect.stringMatching(uuid) }],
    ['name: human-readable label', { name: 'Ada’s laptop' }, { name: 'Ada’s laptop' }],
    [
      'key_prefix: first 12 characters, ellipsis, last 4',
      {},
      { key_prefix: expect.stringMatching(/^sk-rb-[0-9A-Za-z]{6}…[0-9A-Za-z]{4}$/) },
    ],
    ['full_key: full plaintext key', {}, { full_key: expect.stringMatching(/^sk-rb-/) }],
    [
      'ip_whitelist: allowed IPv4 addresses or CIDR ranges',
      { ip_whitelist: ['203.0.113.7', '10.0.0.0/8'] },
      { ip_whitelist: ['203.0.113.7', '10.0.0.0/8'] },
    ],
    ['ip_whitelist: empty means unrestricted', {}, { ip_whitelist: [] }],
    ['rate_limit_rpm: number', { rate_limit_rpm: 60 }, { rate_limit_rpm: 60 }],
    ['rate_limit_tph: number', { rate_limit_tph: 1000 }, { rate_limit_tph: 1000 }],
    ['rate_limit_tpd: number', { rate_limit_tpd: 9000 }, { rate_limit_tpd: 9000 }],
    [
      'rate_limit_*: null means unlimited',
      {},
      { rate_limit_rpm: null, rate_limit_tph: null, rate_limit_tpd: null },
    ],
    ['is_provisioning: false for ordinary keys', {}, { is_provisioning: false }],
    [
      'is_provisioning: true for management keys (sk-rb-prov-...)',
      { is_provisioning: true },
      {
        is_provisioning: true,
        full_key: expect.stringMatching(/^sk-rb-prov-[0-9A-Za-z]{12}-[0-9A-Za-z]{48}$/),
      },
    ],
    ['disabled: boolean', {}, { disabled: false }],
    ['created_by: creator reference', {}, { created_by: expect.stringMatching(uuid) }],
    ['created_at: ISO 8601', {}, { created_at: expect.stringMatching(iso) }],
    ['credit_limit: dollar spend cap', { credit_limit: 2.5 }, { credit_limit: 2.5 }],
    ['credit_limit: null means unlimited', { credit_limit: null }, { credit_limit: null }],
    ['credit_reset_interval: default none', {}, { credit_reset_interval: 'none' }],
    ...['none', 'daily', 'weekly', 'monthly'].map(
      interval =>
        [
          `credit_reset_interval: ${interval}`,
          { credit_limit: 1, credit_reset_interval: interval },
          { credit_reset_interval: interval },
        ] as [string, object, unknown],
    ),
    ['credit_used: dollars spent in the current period', { credit_limit: 1 }, { credit_used: 0 }],
    [
      'credit_period_start: start of the current spend window',
      { credit_limit: 1, credit_reset_interval: 'monthly' },
      { credit_period_start: expect.stringMatching(iso) },
    ],
    ['credit_period_start: null when no cap is set', {}, { credit_period_start: null }],
    [
      'expires_at: automatic disable time',
      { expires_at: '2099-01-02T03:04:05Z' },
      { expires_at: '2099-01-02T03:04:05.000Z' },
    ],
    ['expires_at: null', {}, { expires_at: null }],
  ])('%s', async (_, body, expected) => {
    const { id } = await create(body)
    expect(await recordOf(id)).toMatchObject(Object(expected))
  })

  test('creation response fields: id, name, key, created_at', async () => {
    const { status, body } = await rest('POST', '/api-keys', { name: 'four fields' })
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual(['id', 'name', 'key', 'created_at'])
    expect(body.key).toMatch(/^sk-rb-[0-9A-Za-z]{12}-[0-9A-Za-z]{48}$/)
  })
})

describe('endpoints', () => {
  test('GET /api/v1/api-keys: JSON array of key records, newest first', async () => {
    const made = [await create({ name: 'older' }), await create({ name: 'newer' })]
    const { status, body } = await rest('GET', '/api-keys')
    expect(status).toBe(200)
    expect(body.slice(0, 2).map(({ id }: { id: string }) => id)).toEqual(made.map(({ id }) => id).reverse())
  })

  test('PUT /api/v1/api-keys/{id}: any subset of fields; full masked key record', async () => {
    const { id } = await create({ rate_limit_rpm: 5 })
    const before = await recordOf(id)
    for (const change of [
      { name: 'renamed' },
      { ip_whitelist: ['10.0.0.1'] },
      { rate_limit_rpm: 6 },
      { rate_limit_tph: 7 },
      { rate_limit_tpd: 8 },
      { disabled: true },
      { credit_limit: 9 },
      { credit_reset_interval: 'weekly' },
      { expires_at: '2099-01-01T00:00:00.000Z' },
      { expires_at: null },
    ]) {
      const { status, body } = await rest('PUT', `/api-keys/${id}`, change)
      expect(status).toBe(200)
      expect(body).toMatchObject(change)
      expect(Object.keys(body)).toEqual(Object.keys(before))
      expect(body).toEqual(await recordOf(id))
    }
    expect(await recordOf(id)).toMatchObject({ name: 'renamed', rate_limit_rpm: 6, credit_limit: 9 })
  })

  test('PUT with credit_limit omitted leaves it unchanged; so does credit_reset_interval', async () => {
    const { id } = await create({ credit_limit: 3, credit_reset_interval: 'daily' })
    const { body } = await rest('PUT', `/api-keys/${id}`, { name: 'x' })
    expect(body).toMatchObject({ credit_limit: 3, credit_reset_interval: 'daily' })
  })

  test('DELETE /api/v1/api-keys/{id}: 204 No Content; key revoked immediately; its rate-limit state is cleared', async () => {
    const { id, key } = await create({ rate_limit_rpm: 100 })
    expect(await chatWith(key)).toEqual([200, undefined])
    const { status, body } = await rest('DELETE', `/api-keys/${id}`)
    expect([status, body]).toEqual([204, undefined])
    expect((await chatWith(key))[0]).toBe(401)
    expect(await recordOf(id)).toBeUndefined()
    const { redis, config } = system.context
    const left = await redis.keys(`${config.redisPrefix}*${id}*`)
    const windows = await Promise.all(left.map(async name => [name, await redis.type(name)]))
    expect(windows.filter(([, type]) => type === 'hash' || type === 'zset')).toEqual([])
  })
})

describe('states', () => {
  test('enabled, PUT with disabled=true: disabled (authentication rejected); PUT with disabled=false: enabled', async () => {
    const { id, key } = await create()
    expect((await chatWith(key))[0]).toBe(200)
    await rest('PUT', `/api-keys/${id}`, { disabled: true })
    expect(await chatWith(key)).toEqual([403, 'key_disabled'])
    await rest('PUT', `/api-keys/${id}`, { disabled: false })
    expect((await chatWith(key))[0]).toBe(200)
  })

  test('any, current time passes expires_at: rejected', async () => {
    const { id, key } = await create({ expires_at: '2099-01-01T00:00:00Z' })
    expect((await chatWith(key))[0]).toBe(200)
    const soon = new Date(Date.now() + 500).toISOString()
    expect((await rest('PUT', `/api-keys/${id}`, { expires_at: soon })).status).toBe(200)
    await expect.poll(() => chatWith(key)).toEqual([403, 'key_expired'])
  })

  test('any, credit_limit reached within the period: rejected with 402 until the period resets', async () => {
    const { id, key } = await create({ credit_limit: 0, credit_reset_interval: 'daily' })
    expect(await chatWith(key)).toEqual([402, 'credit_limit_reached'])
    await rest('PUT', `/api-keys/${id}`, { credit_limit: 1 })
    expect((await chatWith(key))[0]).toBe(200)
    const { credit_used: used } = await recordOf(id)
    expect(used).toBeGreaterThan(0)
    await rest('PUT', `/api-keys/${id}`, { credit_limit: used })
    expect(await chatWith(key)).toEqual([402, 'credit_limit_reached'])
    // A day later: what was counted belongs to a period that has ended.
    await system.context
      .sql`update key_budgets set counted_at = counted_at - interval '1 day' where key_id = ${id}`
    expect((await recordOf(id)).credit_used).toBe(0)
    await rest('PUT', `/api-keys/${id}`, { credit_limit: used * 2 })
    expect((await chatWith(key))[0]).toBe(200)
  })
})

describe('API key management errors', () => {
  const sent = (path: string, headers: Record<string, string>) =>
    system.rest('GET', path, { headers }).then(({ status, body }) => [status, body.error.code])

  test('401: missing Authorization header, or JWT invalid or expired', async () => {
    expect(await sent('/api-keys', {})).toEqual([401, 'unauthenticated'])
    expect(await sent('/api-keys', { authorization: 'Bearer not.a.jwt' })).toEqual([401, 'unauthenticated'])
    const expired = await aShortSession()
    await expect
      .poll(() => sent('/api-keys', { authorization: `Bearer ${expired}` }), { timeout: 10_000 })
      .toEqual([401, 'token_expired'])
  })

  test('401: the token is an API key where a JWT is required', async () => {
    for (const is_provisioning of [false, true]) {
      const { key } = await create({ is_provisioning })
      for (const [method, path] of [
        ['GET', '/api-keys'],
        ['POST', '/api-keys'],
        ['PUT', '/api-keys/x'],
        ['DELETE', '/api-keys/x'],
      ] as const) {
        const { status, body } = await rest(method, path, method === 'GET' ? undefined : {}, key)
        expect([status, body.error.code], `${method} ${path}`).toEqual([401, 'jwt_required'])
      }
    }
  })

  test('404: {id} does not resolve to a key belonging to the account', async () => {
    const stranger = await system.aPerson()
    const { id } = (await rest('POST', '/api-keys', { name: 'theirs' }, stranger.token)).body
    for (const unknown of [id, 'x', '00000000-0000-7000-8000-000000000000'])
      for (const [method, body] of [
        ['PUT', { name: 'mine' }],
        ['DELETE', undefined],
      ] as const)
        expect((await rest(method, `/api-keys/${unknown}`, body)).status).toBe(404)
  })

  test.each<[row: string, body: object]>([
    ['ip_whitelist has more than 10 entries', { ip_whitelist: Array(11).fill('10.0.0.1') }],
    ['rate_limit_rpm is negative', { rate_limit_rpm: -1 }],
    ['rate_limit_tph is negative', { rate_limit_tph: -1 }],
    ['rate_limit_tpd is negative', { rate_limit_tpd: -1 }],
    ['name is empty', { name: '' }],
  ])('422: %s', async (_, wrong) => {
    const [param] = Object.keys(wrong)
    const { id } = await create()
    for (const answer of [
      await rest('POST', '/api-keys', { name: 'a key', ...wrong }),
      await rest('PUT', `/api-keys/${id}`, wrong),
    ])
      expect([answer.status, answer.body.error.param]).toEqual([422, param])
  })
})

/** A session token that has ended in a moment. */
async function aShortSession(): Promise<string> {
  const control = await startControl({ ...system.config, controlPort: 0, accessTokenSeconds: 1 })
  const response = await fetch(`${control.url}/api/v1/auth/sign-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'short@example.com', password: 'correct horse' }),
  })
  const session = await response.json()
  await control.close()
  return session.access_token
}
