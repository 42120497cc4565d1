import { describe, expect, test } from 'vitest'
import { theControlPlane } from '../../test/harness/a-control-plane.ts'

const { control, person } = theControlPlane({ ALLOW_LOOPBACK: 'false' })

const byok = (method: string, path = '', body?: unknown, token: string | undefined = person.token) =>
  control.rest(method, `/byok${path}`, { body, token })

const apiKey = 'sk-vendor-0123456789abcdefghijklmnop'
const plain = { provider: 'vendor_a', label: 'ours', api_key: apiKey }

const aCredential = async (body: object = {}) => (await byok('POST', '', { ...plain, ...body })).body

const serviceAccount = {
  type: 'service_account',
  project_id: 'our-project',
  private_key_id: '0123456789',
  private_key: '-----BEGIN PRIVATE KEY-----\nMIIEv-not-a-real-one\n-----END PRIVATE KEY-----\n',
  client_email: 'caller@our-project.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
}

describe('a new credential', () => {
  test('is returned as its record: every field, with defaults, without the key', async () => {
    const { status, body } = await byok('POST', '', plain)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      provider: 'vendor_a',
      label: 'ours',
      api_key_prefix: 'sk-ve…mnop',
      base_url: null,
      config_json: null,
      always_use: false,
      disabled: false,
      priority: 0,
      last_used_at: null,
      last_error: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      updated_at: body.created_at,
    })
    expect((await byok('GET')).body).toContainEqual(body)
  })

  test('accepts every field', async () => {
    const settings = {
      provider: 'vendor_b',
      label: `  kept as written ${'x'.repeat(82)}`,
      base_url: 'https://proxy.example.com/v1/',
      config_json: { region: 'eu-west-1', note: { of: ['ours', 1, true, null] } },
      always_use: true,
      priority: -7,
    }
    const { status, body } = await byok('POST', '', { ...settings, api_key: apiKey })
    expect(status).toBe(201)
    const shown = { region: 'eu-west-1', note: { of: ['***', '***', true, null] } }
    expect(body).toMatchObject({ ...settings, config_json: shown })
  })

  test.each([
    ['vendor_a', { endpoint: 'https://ours.example.com', deployment: 'gpt', api_key: 'secret-of-azure' }],
    ['vendor_b', { region: 'us-east-1', access_key_id: 'AKIAEXAMPLE', secret_access_key: 'secret-of-aws' }],
    ['vendor_b', { region: 'us-east-1', api_key: 'bearer-of-bedrock' }],
    ['vendor_c', { region: 'us-central1', service_account: serviceAccount }],
    ['vendor_c', { region: 'global', service_account: JSON.stringify(serviceAccount) }],
    ['vendor_c', { region: 'eu', ...serviceAccount }],
  ])(
    'of %s needs no api_key where its configuration carries the credential',
    async (provider, config_json) => {
      const { status, body } = await byok('POST', '', { provider, label: 'carried', config_json })
      expect(status).toBe(201)
      expect(body.api_key_prefix).toBe('')
      expect(JSON.stringify(body)).not.toMatch(/secret-of|bearer-of|not-a-real-one/)
    },
  )

  test.each([5_000, -5_000])('has its priority clamped: %d', async priority => {
    expect(await aCredential({ priority })).toMatchObject({ priority: Math.sign(priority) * 1000 })
  })

  test('stores its secrets encrypted, never as plain text', async () => {
    const config_json = { region: 'eu', service_account: serviceAccount }
    const { id } = await aCredential({ provider: 'vendor_c', config_json })
    const [row] = await control.context
      .sql`select c::text as text, c.* from provider_credentials c where id = ${id}`
    expect(row!.text).not.toContain('not-a-real-one')
    expect(row!.text).not.toContain(apiKey)
    const sealed = [row!.api_key_sealed, row!.config_secrets_sealed].map(bytes => bytes.toString('latin1'))
    expect(sealed.filter(text => text.includes('not-a-real-one') || text.includes(apiKey))).toEqual([])
  })
})

describe('invalid values are refused with 422 and their parameter', () => {
  const account = serviceAccount
  const a = (config_json: unknown) => ({ ...plain, config_json })
  const b = (config_json: object) => ({ ...plain, provider: 'vendor_b', config_json })
  const c = (config_json: object) => ({ ...plain, provider: 'vendor_c', config_json })
  const keyless = (provider: string, config_json: object) => ({ provider, label: 'x', config_json })
  const evil = { ...account, token_uri: 'https://evil.example/token' }
  const inward = { region: 'eu', ...account, token_uri: 'https://127.0.0.1/token' }
  test.each<[param: string, body: object]>([
    ['label', { ...plain, label: '   ' }],
    ['label', { ...plain, label: 'a\0b' }],
    ['api_key', { provider: 'vendor_a', label: 'x' }],
    ['api_key', { ...plain, api_key: null }],
    ['api_key', { ...plain, api_key: '***' }],
    ['api_key', { ...plain, api_key: 'two words' }],
    ['api_key', { ...plain, api_key: 'line\r\nx-header: 1' }],
    ['api_key', keyless('vendor_c', { region: 'eu' })],
    ['base_url', { ...plain, base_url: 'https://127.1/v1' }],
    ['base_url', { ...plain, base_url: 'api.example.com' }],
    ['base_url', { ...plain, base_url: '' }],
    ['base_url', { ...plain, base_url: 'https://api.example.com?key=1' }],
    ['config_json', a('text')],
    ['config_json', a([1])],
    ['config_json', a({ long: 'x'.repeat(70_000) })],
    ['config_json.a', a({ a: 'x\0' })],
    ['config_json.a[1].b', a({ a: [{}, { b: '\ud800' }] })],
    ['config_json.endpoint', a({ endpoint: 'http://ours.openai.azure.com' })],
    ['config_json.endpoint', a({ endpoint: 'https://10.0.0.1' })],
    ['config_json.endpoint', a({ endpoint: 7 })],
    ['config_json.endpoint', a({ deployment: 'gpt' })],
    ['config_json.deployment', a({ endpoint: 'https://x.example', deployment: 'a/b' })],
    ['config_json.region', b({ region: 'x.evil.example/' })],
    ['config_json.region', b({ secret_access_key: 's' })],
    ['config_json.secret_access_key', keyless('vendor_b', { region: 'us-east-1', access_key_id: 'A' })],
    ['config_json.region', keyless('vendor_c', { service_account: account })],
    ['config_json.service_account', c({ service_account: 'no JSON' })],
    ['config_json.service_account.token_uri', keyless('vendor_c', { region: 'eu', service_account: evil })],
    ['config_json.token_uri', keyless('vendor_c', inward)],
    ['config_json.token', a({ token: '***' })],
  ])('%s: %j', async (param, body) => {
    const answer = await byok('POST', '', body)
    expect(answer.body).toMatchObject({ code: 422, error: { param, code: 'validation_failed' } })
    expect(answer.status).toBe(422)
    expect(answer.body.msg).not.toContain('[object')
  })
})
