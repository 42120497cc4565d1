import { describe, expect, test } from 'vitest'
import { windowsName } from '../../domain/rates/rate-script.ts'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'
import { anApiKey } from '../../test/harness/an-account.ts'
import { perFile } from '../../test/harness/per-file.ts'

const control = perFile(() => aControlPlane({ TRUSTED_PROXIES: '127.0.0.1/32' }))
const person = perFile(() => control.aPerson())

const keys = (method: string, path = '', body?: unknown, token: string | undefined = person.token) =>
  control.rest(method, `/api-keys${path}`, { body, token })

const aKey = async (body: object = {}) => (await keys('POST', '', { name: 'a key', ...body })).body

describe('a new key', () => {
  test('is returned once with its full text', async () => {
    const { status, body, headers } = await keys('POST', '', { name: 'first' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'first',
      key: expect.stringMatching(/^sk-rb-[0-9A-Za-z]{12}-[0-9A-Za-z]{48}$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    })
    expect(headers.get('x-request-id')).toMatch(/^req_/)
  })

  test('has every field in the list, with defaults for omitted settings', async () => {
    const { id, key } = await aKey({ name: 'listed' })
    const { status, body } = await keys('GET')
    expect(status).toBe(200)
    const record = body.find((listed: { id: string }) => listed.id === id)
    expect(record).toEqual({
      ...{ id, name: 'listed', key_prefix: `${key.slice(0, 12)}…${key.slice(-4)}`, full_key: key },
      ...{ ip_whitelist: [], allowed_models: [], allowed_vendors: [], previous_key_ends_at: null },
      ...{ rate_limit_rpm: null, rate_limit_tph: null, rate_limit_tpd: null },
      ...{ is_provisioning: false, is_playground: false, scopes: [], disabled: false, expires_at: null },
      created_by: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      ...{ credit_limit: null, credit_reset_interval: 'none', credit_used: 0, credit_period_start: null },
    })
  })

  test('accepts every setting', async () => {
    const settings = {
      rate_limit_rpm: 60,
      rate_limit_tph: 5_000_000_000,
      rate_limit_tpd: 0,
      ip_whitelist: ['203.0.113.7', '10.0.0.0/8'],
      credit_limit: 12.345678901,
      credit_reset_interval: 'monthly',
      expires_at: '2099-01-01T00:00:00.000Z',
    }
    const { id } = await aKey(settings)
    const { body } = await keys('PUT', `/${id}`, {})
    expect(body).toMatchObject({ ...settings, credit_used: 0 })
    expect(body.credit_period_start).toBe(body.created_at)
  })

  test('can be a provisioning key', async () => {
    const { key } = await aKey({ is_provisioning: true })
    expect(key).toMatch(/^sk-rb-prov-[0-9A-Za-z]{12}-[0-9A-Za-z]{48}$/)
  })

  test('is stored as an HMAC and encrypted text, never as plain text', async () => {
    const { key } = await aKey()
    const rows = await control.context.sql`select k::text as text from api_keys k`
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter(({ text }) => text.includes(key.slice(-48)))).toEqual([])
    const sealed = await control.context.sql`select full_key_sealed from api_keys`
    expect(sealed.filter(row => row.full_key_sealed.toString('latin1').includes(key))).toEqual([])
  })
})

describe('the list', () => {
  test('is newest first, without revoked keys and keys of other accounts', async () => {
    const other = await control.aPerson()
    await keys('POST', '', { name: 'of another' }, other.token)
    await aKey({ name: 'one' })
    const two = await aKey({ name: 'two' })
    await aKey({ name: 'three' })
    await keys('DELETE', `/${two.id}`)
    const { body } = await keys('GET')
    const names = body.map(({ name }: { name: string }) => name)
    expect(names.slice(0, 2)).toEqual(['three', 'one'])
    expect(names).not.toContain('two')
    expect(names).not.toContain('of another')
  })

  test('leaves full_key out for keys older than its keeping', async () => {
    const old = await anApiKey(control.context, { accountId: person.accountId })
    const { body } = await keys('GET')
    const record = body.find(({ id }: { id: string }) => id === old.keyId)
    expect(record).toBeDefined()
    expect(record).not.toHaveProperty('full_key')
  })
})

describe('PUT', () => {
  test('changes only the given settings and returns the full masked record', async () => {
    const { id } = await aKey({ rate_limit_rpm: 5, credit_limit: 3, ip_whitelist: ['10.0.0.1'] })
    const { status, body } = await keys('PUT', `/${id}`, { name: 'renamed', disabled: true })
    expect(status).toBe(200)
    const kept = { id, rate_limit_rpm: 5, credit_limit: 3, ip_whitelist: ['10.0.0.1'] }
    expect(body).toMatchObject({ ...kept, name: 'renamed', disabled: true })
    expect(body.key_prefix).toContain('…')
  })

  test('removes a limit with null', async () => {
    const { id } = await aKey({ rate_limit_rpm: 5, credit_limit: 3, expires_at: '2099-01-01T00:00:00Z' })
    const none = { rate_limit_rpm: null, credit_limit: null, expires_at: null }
    expect((await keys('PUT', `/${id}`, none)).body).toMatchObject({ ...none, credit_period_start: null })
  })

  test.each(['is_provisioning', 'isProvisioning', 'id', 'credit_used', 'bogus', 'ipWhitelist'])(
    'refuses %s, which is not known or cannot be changed',
    async param => {
      const { id } = await aKey()
      const { status, body } = await keys('PUT', `/${id}`, { name: 'other', [param]: true })
      expect([status, body.error.param, body.msg]).toEqual([422, param, expect.stringContaining(param)])
      const listed = (await keys('GET')).body.find((key: { id: string }) => key.id === id)
      expect(listed.name).toBe('a key')
    },
  )
})

test('DELETE returns 204 without a body and clears the rate-limit state of the key', async () => {
  const { id } = await aKey()
  const { redis, config } = control.context
  const state = windowsName(config.redisPrefix, person.accountId, id)
  await redis.set(state, '1')
  const { status, body } = await keys('DELETE', `/${id}`)
  expect(status).toBe(204)
  expect(body).toBeUndefined()
  expect(await redis.exists(state)).toBe(0)
})

describe('error table', () => {
  test('403: the key is disabled or has expired', async () => {
    const disabled = await aKey()
    await keys('PUT', `/${disabled.id}`, { disabled: true })
    const expired = await aKey({ expires_at: '2001-01-01T00:00:00Z' })
    for (const [key, code] of [
      [disabled.key, 'key_disabled'],
      [expired.key, 'key_expired'],
    ]) {
      const { status, body } = await control.rest('GET', '/me', { token: key })
      expect(status).toBe(403)
      expect(body.error.code).toBe(code)
    }
    await keys('PUT', `/${disabled.id}`, { disabled: false })
    expect((await control.rest('GET', '/me', { token: disabled.key })).status).toBe(200)
  })

  test('401: the key was revoked or does not exist', async () => {
    const { id, key } = await aKey()
    await keys('DELETE', `/${id}`)
    for (const token of [key, `sk-rb-${'a'.repeat(12)}-${'b'.repeat(48)}`, `${key.slice(0, -1)}!`]) {
      expect((await control.rest('GET', '/me', { token })).status).toBe(401)
    }
  })

  test('404: an ID that is not a key of the account: unknown, revoked, not a UUID, of another account', async () => {
    const other = await control.aPerson()
    const foreign = (await keys('POST', '', { name: 'theirs' }, other.token)).body.id
    const revoked = (await aKey()).id
    await keys('DELETE', `/${revoked}`)
    for (const id of ['00000000-0000-7000-8000-000000000000', revoked, 'nonsense', foreign]) {
      for (const method of ['PUT', 'DELETE']) {
        const { status, body } = await keys(method, `/${id}`, method === 'PUT' ? { name: 'x' } : undefined)
        expect(status, `${method} ${id}`).toBe(404)
        expect(body.error.code).toBe('key_not_found')
      }
    }
    const { body } = await keys('GET', '', undefined, other.token)
    expect(body[0].name).toBe('theirs')
  })

  const eleven = Array.from({ length: 11 }, (_, index) => `10.0.0.${index}`)
  const wrong: [object, string][] = [
    [{ name: '' }, 'name'],
    [{ name: null }, 'name'],
    [{ rate_limit_rpm: -1 }, 'rate_limit_rpm'],
    [{ rate_limit_tpd: -0.5 }, 'rate_limit_tpd'],
    [{ rate_limit_rpm: 1.5 }, 'rate_limit_rpm'],
    [{ rate_limit_tph: 1e30 }, 'rate_limit_tph'],
    [{ ip_whitelist: '10.0.0.1' }, 'ip_whitelist'],
    [{ ip_whitelist: eleven }, 'ip_whitelist'],
    [{ ip_whitelist: ['10.0.0.1', 'nonsense'] }, 'ip_whitelist[1]'],
    [{ credit_limit: -1 }, 'credit_limit'],
    [{ credit_limit: 0.0000000001 }, 'credit_limit'],
    [{ credit_limit: 1e300 }, 'credit_limit'],
    [{ credit_reset_interval: 'hourly' }, 'credit_reset_interval'],
    [{ expires_at: 'tomorrow' }, 'expires_at'],
    [{ expires_at: 1700000000 }, 'expires_at'],
    [{ expires_at: '2030-02-31T00:00:00Z' }, 'expires_at'],
    [{ expires_at: '0000-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: '9999-12-31T23:59:59-01:00' }, 'expires_at'],
  ]

  test.each(wrong)('422: %j, on create and on update', async (body, param) => {
    const { id } = await aKey()
    for (const [method, path] of [
      ['POST', ''],
      ['PUT', `/${id}`],
    ] as const) {
      const answer = await keys(method, path, method === 'POST' ? { name: 'fine', ...body } : body)
      expect(answer.status, method).toBe(422)
      expect(answer.body).toMatchObject({ code: 422, error: { code: 'validation_failed', param } })
    }
  })

  test.each([
    [{ name: null }, 'name must be text.'],
    [{ name: 'a', disabled: true }, 'disabled is not known, or cannot be set here.'],
    [{ name: 'a', rate_limit_tph: 1e30 }, 'The value must be a whole number of at most 9007199254740991.'],
    [{ name: 'a', ip_whitelist: '10.0.0.1' }, 'ip_whitelist must be an array.'],
    [
      { name: 'a', credit_limit: 1e300 },
      'An amount must be a number of dollars below 1000000000000000, with at most nine decimal places.',
    ],
  ])('a new key with %j returns the exact message', async (body, msg) => {
    expect((await keys('POST', '', body)).body).toMatchObject({ code: 422, msg })
  })

  test('422: a new key without a name; ten addresses are accepted', async () => {
    const { status, body } = await keys('POST', '', {})
    expect(status).toBe(422)
    expect(body.error.param).toBe('name')
    expect((await keys('POST', '', { name: 'ten', ip_whitelist: eleven.slice(1) })).status).toBe(201)
  })
})

describe('paths and bodies', () => {
  test('413, 415, 404 and 405 have the same format, and every response has a request ID', async () => {
    const large = { name: 'x'.repeat(1024 * 1024 + 1) }
    const { token } = person
    const answers = [
      [413, await keys('POST', '', large)],
      [
        415,
        await control.rest('POST', '/api-keys', {
          token,
          body: '{}',
          headers: { 'content-type': 'text/plain' },
        }),
      ],
      [404, await control.rest('GET', '/nothing-here', { token })],
      [405, await control.rest('PATCH', '/api-keys', { token })],
    ] as const
    for (const [status, answer] of answers) {
      expect(answer.status).toBe(status)
      const error = { type: expect.any(String) }
      expect(answer.body).toMatchObject({ code: status, msg: expect.any(String), error })
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
    }
    expect(answers[3][1].headers.get('allow')).toContain('POST')
  })

  test('the caller is checked before the body', async () => {
    const { status } = await control.rest('POST', '/api-keys', { body: '{' })
    expect(status).toBe(401)
  })
})
