import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { theControlPlane } from '../../test/harness/a-control-plane.ts'
import { anyConfig, secretMark } from '../../test/harness/any-config.ts'

const { control, person } = theControlPlane()

const byok = (method: string, path = '', body?: unknown, token: string | undefined = person.token) =>
  control.rest(method, `/byok${path}`, { body, token })

const apiKey = 'sk-vendor-0123456789abcdefghijklmnop'
const aCredential = async (body: object = {}) =>
  (await byok('POST', '', { provider: 'vendor_a', label: 'ours', api_key: apiKey, ...body })).body

const inBedrock = {
  provider: 'vendor_b',
  api_key: null,
  config_json: {
    region: 'us-east-1',
    access_key_id: 'AKIAEXAMPLE',
    secret_access_key: 'secret-of-aws',
    extra: { tokens: ['token-one', 'token-two'], type: 'yes' },
  },
}

const account = { client_email: 'a@b.iam.gserviceaccount.com', private_key: 'pem', project_id: 'b' }

/** The secrets of a credential as the hot path opens them. */
const opened = async (id: string) => {
  const [row] = await control.context.sql`select * from provider_credentials where id = ${id}`
  const place = `provider_credentials/${person.accountId}/${id}`
  const open = (sealed: Buffer | null, field: string) =>
    sealed && control.context.vault.open(sealed, `${place}/${field}`)
  return {
    apiKey: open(row!.api_key_sealed, 'api_key'),
    config: row!.config,
    secrets: JSON.parse(open(row!.config_secrets_sealed, 'config_secrets') ?? '[]').toSorted(
      (one: object, other: object) => JSON.stringify(one).localeCompare(JSON.stringify(other)),
    ),
  }
}

describe('PUT', () => {
  test('changes only the given settings', async () => {
    const before = await aCredential({ config_json: { region: 'x' }, base_url: 'https://api.example.com' })
    const changes = { label: 'renamed', always_use: true, disabled: true, priority: 2_000 }
    const { status, body } = await byok('PUT', `/${before.id}`, changes)
    expect(status).toBe(200)
    const updated_at = expect.not.stringMatching(before.updated_at)
    expect(body).toEqual({ ...before, ...changes, priority: 1_000, updated_at })
    expect((await byok('PUT', `/${before.id}`, { disabled: false })).body.disabled).toBe(false)
    expect((await opened(before.id)).apiKey).toBe(apiKey)
  })

  test('replaces the key and the configuration', async () => {
    const { id } = await aCredential({ config_json: { token: 'old-token' } })
    const { body } = await byok('PUT', `/${id}`, { api_key: 'sk-another-key-of-theirs', config_json: null })
    expect(body).toMatchObject({ api_key_prefix: 'sk-…irs', config_json: null })
    expect(await opened(id)).toEqual({ apiKey: 'sk-another-key-of-theirs', config: null, secrets: [] })
  })

  test('accepts a record unchanged: every *** keeps its secret', async () => {
    const record = await aCredential(inBedrock)
    const extra = { tokens: ['***', '***'], type: 'yes' }
    const masked = { ...inBedrock.config_json, secret_access_key: '***', extra }
    expect(record.config_json).toEqual(masked)
    const before = await opened(record.id)
    const { status, body } = await byok('PUT', `/${record.id}`, record)
    expect([status, body.config_json]).toEqual([200, record.config_json])
    expect(await opened(record.id)).toEqual(before)
    expect(before.secrets).toContainEqual({ path: ['secret_access_key'], value: 'secret-of-aws' })
  })

  test('keeps one secret and replaces another', async () => {
    const { id, config_json } = await aCredential(inBedrock)
    const written = { ...config_json, region: 'eu-west-1', secret_access_key: 'secret-anew' }
    expect((await byok('PUT', `/${id}`, { config_json: written })).status).toBe(200)
    const { secrets } = await opened(id)
    const values = secrets.map(({ value }: { value: string }) => value).toSorted()
    expect(values).toEqual(['secret-anew', 'token-one', 'token-two'])
  })

  test('keeps the text of a complete service account behind ***', async () => {
    const config = { region: 'eu', service_account: JSON.stringify(account) }
    const { id, config_json } = await aCredential({ provider: 'vendor_c', config_json: config })
    expect(config_json).toEqual({ region: 'eu', service_account: '***' })
    const { status } = await byok('PUT', `/${id}`, { config_json: { ...config_json, region: 'global' } })
    expect(status).toBe(200)
    expect((await opened(id)).secrets).toEqual([{ path: ['service_account'], value: config.service_account }])
  })

  test.each<[param: string, changes: object]>([
    ['label', { label: null }],
    ['base_url', { base_url: 'http://api.example.com' }],
    ['config_json.token', { config_json: { token: '***' } }],
    ['config_json.extra.tokens', { config_json: { extra: { tokens: ['***'] } } }],
  ])('refuses %s: %j', async (param, changes) => {
    const { id } = await aCredential({ ...inBedrock, api_key: apiKey })
    const { status, body } = await byok('PUT', `/${id}`, changes)
    expect([status, body.error.param]).toEqual([422, param])
  })

  test('refuses to remove the last secret', async () => {
    const { id } = await aCredential()
    expect((await byok('PUT', `/${id}`, { api_key: null })).body.error.param).toBe('api_key')
    const bedrock = await aCredential(inBedrock)
    expect((await byok('PUT', `/${bedrock.id}`, { config_json: null })).body.error.param).toBe('api_key')
  })
})

describe('a changed URL requires the secret again', () => {
  test.each<[what: string, before: object, changes: object]>([
    ['a base URL', {}, { base_url: 'https://evil.example' }],
    ['another base URL', { base_url: 'https://api.example.com' }, { base_url: 'https://evil.example' }],
    ['another path', { base_url: 'https://api.example.com/v1' }, { base_url: 'https://api.example.com/v2' }],
    ['no base URL any more', { base_url: 'https://api.example.com' }, { base_url: null }],
    ['an endpoint', {}, { config_json: { endpoint: 'https://evil.example' } }],
    [
      'another endpoint',
      { config_json: { endpoint: 'https://ours.openai.azure.com', deployment: 'gpt' } },
      { api_key: '***', config_json: { endpoint: 'https://evil.example', deployment: 'gpt' } },
    ],
  ])('%s', async (_, before, changes) => {
    const { id } = await aCredential(before)
    const { status, body } = await byok('PUT', `/${id}`, changes)
    expect([status, body.error.param]).toEqual([422, 'api_key'])
    expect((await byok('PUT', `/${id}`, { ...changes, api_key: 'sk-written-again' })).status).toBe(200)
  })

  test('a secret in a configuration is named by its path', async () => {
    const { id, config_json } = await aCredential(inBedrock)
    const base_url = 'https://evil.example'
    const moved = await byok('PUT', `/${id}`, { base_url })
    expect([moved.status, moved.body.error.param]).toEqual([422, 'config_json.extra.tokens[0]'])
    const { extra, ...rest } = config_json
    const half = { base_url, config_json: rest }
    expect((await byok('PUT', `/${id}`, half)).body.error.param).toBe('config_json.secret_access_key')
    const anew = { base_url, config_json: { ...rest, secret_access_key: 'again' } }
    expect((await byok('PUT', `/${id}`, anew)).status).toBe(200)
  })

  test('a token URL in a service account', async () => {
    const config_json = { region: 'eu', service_account: account }
    const { id } = await aCredential({ provider: 'vendor_c', api_key: null, config_json })
    const token_uri = 'https://oauth2.googleapis.com/token'
    const moved = { region: 'eu', service_account: { ...account, private_key: '***', token_uri } }
    const { status, body } = await byok('PUT', `/${id}`, { config_json: moved })
    expect([status, body.error.param]).toEqual([422, 'config_json.service_account.private_key'])
  })

  test('another form of the same URL counts as the same', async () => {
    const { id } = await aCredential({ base_url: 'https://api.example.com/v1' })
    expect((await byok('PUT', `/${id}`, { base_url: 'https://API.example.com:443/v1/' })).status).toBe(200)
  })
})

test('the list is newest first, and filtered by vendor', async () => {
  const { token } = await control.aPerson()
  const add = async (provider: string) =>
    (await byok('POST', '', { provider, label: provider, api_key: apiKey }, token)).body.id
  const [a, b, another] = [await add('vendor_a'), await add('vendor_b'), await add('vendor_a')]
  const ids = async (query: string) =>
    (await byok('GET', query, undefined, token)).body.map(({ id }: { id: string }) => id)
  expect(await ids('')).toEqual([another, b, a])
  expect(await ids('?provider=vendor_a')).toEqual([another, a])
  expect(await ids('?provider=vendor_c')).toEqual([])
  const { status, body } = await byok('GET', '?provider=vendor_d', undefined, token)
  expect([status, body.error.param]).toEqual([422, 'provider'])
})

test.each(['PUT', 'DELETE'])(
  'permissions: %s answers 404 for what is not there, or of another account',
  async method => {
    const { token } = await control.aPerson()
    const { id } = await aCredential()
    for (const path of ['/0190a8c0-0000-7000-8000-000000000001', '/no-id', `/${id}`]) {
      const { status, body } = await byok(method, path, method === 'PUT' ? { label: 'x' } : undefined, token)
      expect([status, body.error.code]).toEqual([404, 'credential_not_found'])
    }
    expect((await byok('GET')).body).toContainEqual(expect.objectContaining({ id, label: 'ours' }))
  },
)

test('DELETE removes the credential and returns 204 without a body', async () => {
  const { id } = await aCredential()
  const { status, body } = await byok('DELETE', `/${id}`)
  expect([status, body]).toEqual([204, undefined])
  expect((await byok('GET')).body.map((listed: { id: string }) => listed.id)).not.toContain(id)
  expect((await byok('DELETE', `/${id}`)).status).toBe(404)
})

test('the graph lists the same credentials, at its root and in the account', async () => {
  const { token } = await control.aPerson()
  const { body } = await byok('POST', '', { provider: 'vendor_a', label: 'one', api_key: apiKey }, token)
  const fields = '{ id label apiKeyPrefix configJson }'
  const { data, errors } = await control.graph(
    `query ($id: ID!) { byokCredentials ${fields} byokCredential(id: $id) ${fields} me { byokCredentials ${fields} } }`,
    { token, variables: { id: body.id } },
  )
  expect(errors).toBeUndefined()
  const shown = { id: body.id, label: 'one', apiKeyPrefix: 'sk-ve…mnop', configJson: null }
  expect(data).toEqual({ byokCredentials: [shown], byokCredential: shown, me: { byokCredentials: [shown] } })
})

test('no response and no column reveals a secret of any configuration', async () => {
  const { token } = person
  const shown = '{ id label apiKeyPrefix configJson }'
  await fc.assert(
    fc.asyncProperty(anyConfig, async config => {
      // Fields that the vendor reads have their own rules. Other fields can have any shape.
      const written = { provider: 'vendor_a', label: 'any', api_key: `${secretMark}key-of-ours` }
      const body = { ...written, config_json: { config } }
      const created = await control.rest('POST', '/byok', { token, body })
      expect(created.status).toBe(201)
      const path = `/byok/${created.body.id}`
      const back = await control.rest('PUT', path, { token, body: created.body })
      expect([back.status, back.body.config_json]).toEqual([200, created.body.config_json])
      const moved = { base_url: 'https://evil.example', config_json: created.body.config_json }
      const refused = await control.rest('PUT', path, { token, body: moved })
      expect(refused.status).toBe(422)
      const answers = [
        created,
        back,
        refused,
        await control.rest('GET', '/byok', { token }),
        await control.graph(`{ byokCredentials ${shown} me { byokCredentials ${shown} } }`, { token }),
        await control.context.sql`select c::text from provider_credentials c`,
      ]
      expect(JSON.stringify(answers)).not.toContain(secretMark)
      expect((await control.rest('DELETE', path, { token })).status).toBe(204)
    }),
    { numRuns: 40 },
  )
})
