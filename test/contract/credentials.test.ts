import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { aPaymentSystem, type PaymentSystem } from '../payments/a-payment-system.ts'

// The tables "BYOK" of the interface, row by row: each test is named after its row.

let system: PaymentSystem
let token: string

beforeAll(async () => {
  system = await aPaymentSystem({ ALLOWANCES: 'credentials_per_vendor=100/100' })
  token = await aRichPerson()
})
afterAll(() => system.close())

/** The session of somebody with five dollars. */
async function aRichPerson(): Promise<string> {
  const { accountId, token } = await system.aPerson()
  const credit = { accountId, amountNanos: 5_000_000_000n, source: 'test', paymentMethod: 'grant' }
  await creditAccount(system.context, credit)
  return token
}

const rest = (method: string, path: string, body?: unknown, credential: string | undefined = token) =>
  system.rest(method, path, { token: credential, body })
const basics = { provider: 'vendor_a', label: 'own', api_key: 'sim-own-key-0123' }
const create = async (body: object = {}) => (await rest('POST', '/byok', { ...basics, ...body })).body
const recordOf = async (id: string) =>
  (await rest('GET', '/byok')).body.find((record: { id: string }) => record.id === id)

const fields = [
  'id',
  'provider',
  'label',
  'api_key_prefix',
  'base_url',
  'config_json',
  'always_use',
  'disabled',
  'priority',
  'last_used_at',
  'last_error',
  'created_at',
  'updated_at',
]

describe('provider credential fields', () => {
  const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

  test.each<[row: string, body: object, expected: object]>([
    ['id: identifier', {}, { id: expect.any(String) }],
    ...['vendor_a', 'vendor_b', 'vendor_c'].map(
      provider => [`provider: ${provider}`, { provider }, { provider }] as [string, object, object],
    ),
    ['label: 1 character', { label: 'x' }, { label: 'x' }],
    ['label: 100 characters', { label: 'x'.repeat(100) }, { label: 'x'.repeat(100) }],
    [
      'api_key_prefix: masked prefix of the upstream key',
      { api_key: 'sim-secret-abcdefgh' },
      { api_key_prefix: expect.not.stringContaining('abcdefgh') },
    ],
    ['base_url: null', {}, { base_url: null }],
    [
      'base_url: upstream base URL override',
      { base_url: 'https://vendor.example.com/v1' },
      { base_url: 'https://vendor.example.com/v1' },
    ],
    ['config_json: null', {}, { config_json: null }],
    [
      'config_json: secret-bearing fields are returned masked as ***',
      { config_json: { region: 'eu-west-1', secret_access_key: 'abcdefghij', access_key_id: 'AKIA123' } },
      { config_json: { region: 'eu-west-1', secret_access_key: '***', access_key_id: 'AKIA123' } },
    ],
    ['always_use: default false', {}, { always_use: false }],
    ['always_use: true', { always_use: true }, { always_use: true }],
    ['disabled: false when new', {}, { disabled: false }],
    ['priority: default 0', {}, { priority: 0 }],
    ['priority: clamped to at most 1000', { priority: 1001 }, { priority: 1000 }],
    ['priority: clamped to at least -1000', { priority: -1001 }, { priority: -1000 }],
    ['last_used_at: null before the first success', {}, { last_used_at: null }],
    ['last_error: null before the first failure', {}, { last_error: null }],
    ['created_at, updated_at', {}, { created_at: iso, updated_at: iso }],
  ])('%s', async (_, body, expected) => {
    const provider = { provider: 'config_json' in body ? 'vendor_b' : 'vendor_a' }
    const { id } = await create({ ...provider, ...body })
    expect(await recordOf(id)).toMatchObject(expected)
  })

  test('the plaintext api_key is never returned', async () => {
    const created = await rest('POST', '/byok', { ...basics, api_key: 'sim-never-shown-again' })
    const answers = [
      created,
      await rest('PUT', `/byok/${created.body.id}`, { label: 'x' }),
      await rest('GET', '/byok'),
    ]
    for (const { body } of answers) {
      expect(JSON.stringify(body)).not.toContain('never-shown-again')
      expect(JSON.stringify(body)).not.toContain('"api_key"')
    }
  })

  test('last_used_at: set on last success; last_error: last failure, cleared on success', async () => {
    const other = await aRichPerson()
    const { body: key } = await rest('POST', '/api-keys', { name: 'a key' }, other)
    const base_url = `${system.simulator.url}/openai/v1`
    const own = { ...basics, api_key: 'sim-401-refused', base_url }
    const { body: created } = await rest('POST', '/byok', own, other)
    const record = async () => (await rest('GET', '/byok', undefined, other)).body[0]
    const chat = () =>
      fetch(`${system.baseURL}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'vendor_a/atlas', messages: [{ role: 'user', content: 'Hi' }] }),
      }).then(response => response.text())
    await chat()
    await expect.poll(record).toMatchObject({ last_error: expect.any(String), last_used_at: null })
    await rest('PUT', `/byok/${created.id}`, { api_key: 'sim-good-key', base_url }, other)
    await chat()
    await expect
      .poll(record)
      .toMatchObject({ last_error: null, last_used_at: expect.stringMatching(/^\d{4}-/) })
  })
})

describe('endpoints', () => {
  test('GET /api/v1/byok: array of credential records; optional query provider', async () => {
    const made = await Promise.all(['vendor_a', 'vendor_b', 'vendor_c'].map(provider => create({ provider })))
    const { status, body } = await rest('GET', '/byok')
    expect(status).toBe(200)
    expect(Array.isArray(body)).toBe(true)
    expect(Object.keys(body[0])).toEqual(fields)
    for (const { id, provider } of made) {
      const { body: some } = await rest('GET', `/byok?provider=${provider}`)
      expect(some.map((record: { id: string }) => record.id)).toContain(id)
      expect(new Set(some.map((record: { provider: string }) => record.provider))).toEqual(
        new Set([provider]),
      )
    }
    const refused = await rest('GET', '/byok?provider=vendor_d')
    expect([refused.status, refused.body.error.param]).toEqual([422, 'provider'])
  })

  test('POST /api/v1/byok answers 201 with the credential record', async () => {
    const { status, body } = await rest('POST', '/byok', basics)
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual(fields)
  })

  test('PUT /api/v1/byok/{id}: any subset of its fields; the credential record', async () => {
    const { id } = await create()
    for (const change of [
      { label: 'renamed' },
      { base_url: 'https://vendor.example.com', api_key: 'sim-another-key' },
      { config_json: { note: 'x' }, api_key: 'sim-another-key' },
      { always_use: true },
      { disabled: true },
      { priority: -7 },
    ]) {
      const { status, body } = await rest('PUT', `/byok/${id}`, change)
      expect(status, JSON.stringify(body)).toBe(200)
      expect(Object.keys(body)).toEqual(fields)
      const { api_key: _, config_json: __, ...shown } = { api_key: '', config_json: {}, ...change }
      expect(body).toMatchObject(shown)
      expect(body).toEqual(await recordOf(id))
    }
  })

  test('DELETE /api/v1/byok/{id}: 204; the credential is gone', async () => {
    const { id } = await create()
    const { status, body } = await rest('DELETE', `/byok/${id}`)
    expect([status, body]).toEqual([204, undefined])
    expect(await recordOf(id)).toBeUndefined()
    expect((await rest('DELETE', `/byok/${id}`)).status).toBe(404)
  })
})

describe('POST body', () => {
  test.each<[row: string, body: object, param: string]>([
    ['provider: required', { label: 'x', api_key: 'k' }, 'provider'],
    ['provider: one of the three vendor values', { ...basics, provider: 'vendor_d' }, 'provider'],
    ['label: required', { provider: 'vendor_a', api_key: 'k' }, 'label'],
    ['label: not empty', { ...basics, label: '' }, 'label'],
    ['label: at most 100 characters', { ...basics, label: 'x'.repeat(101) }, 'label'],
    ['api_key: required unless carried inside config_json', { provider: 'vendor_a', label: 'x' }, 'api_key'],
    ['base_url: HTTPS only', { ...basics, base_url: 'http://vendor.example.com' }, 'base_url'],
    ['config_json: an object', { ...basics, config_json: 'text' }, 'config_json'],
    ['always_use: boolean', { ...basics, always_use: 'yes' }, 'always_use'],
    ['priority: number', { ...basics, priority: 'high' }, 'priority'],
  ])('%s', async (_, body, param) => {
    const answer = await rest('POST', '/byok', body)
    expect([answer.status, answer.body.error.param]).toEqual([422, param])
  })

  test('api_key: not required where the credential is carried inside config_json', async () => {
    const config_json = { api_key: 'sim-inside-config', endpoint: 'https://vendor.example.com/v1' }
    const { status, body } = await rest('POST', '/byok', {
      provider: 'vendor_a',
      label: 'inside',
      config_json,
    })
    expect([status, body.config_json?.api_key]).toEqual([201, '***'])
  })
})

test('authentication: JWT or API key', async () => {
  for (const is_provisioning of [false, true]) {
    const { body: key } = await rest('POST', '/api-keys', { name: 'a key', is_provisioning })
    expect((await rest('GET', '/byok', undefined, key.key)).status).toBe(200)
    const { status, body } = await rest('POST', '/byok', basics, key.key)
    expect(status).toBe(201)
    expect((await rest('PUT', `/byok/${body.id}`, { label: 'x' }, key.key)).status).toBe(200)
    expect((await rest('DELETE', `/byok/${body.id}`, undefined, key.key)).status).toBe(204)
  }
  expect((await system.rest('GET', '/byok')).status).toBe(401)
})
