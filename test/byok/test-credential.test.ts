import { beforeAll, expect, test } from 'vitest'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { startSimulator } from '../../simulators/vendors/start-simulator.ts'
import { openOwnVendors } from '../../upstreams/call/open-own-vendors.ts'
import { aControlPlane } from '../harness/a-control-plane.ts'
import { perFile } from '../harness/per-file.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'

const simulator = perFile(startSimulator)
const control = perFile(() => {
  const addresses = {
    VENDOR_A_BASE_URL: `${simulator.url}/openai/v1`,
    VENDOR_B_BASE_URL: `${simulator.url}/anthropic`,
    VENDOR_C_BASE_URL: `${simulator.url}/gemini`,
  }
  return aControlPlane(addresses, { openVendors: openOwnVendors })
})
beforeAll(async () => applyCatalogue(control.context, await theCatalogue()))
const person = perFile(() => control.aPerson())

async function add(body: object): Promise<string> {
  const { token } = person
  const added = await control.rest('POST', '/byok', { token, body: { label: 'tried', ...body } })
  expect(added.body).toMatchObject({ id: expect.any(String) })
  return added.body.id
}

async function tried(id: string, token = person.token) {
  const query =
    'mutation ($id: ID!) { testByokCredential(input: { id: $id }) { test { ok status message latencyMs } } }'
  const { data, errors } = await control.graph(query, { token, variables: { id } })
  return { test: data?.testByokCredential?.test, problem: errors?.[0]?.extensions.problem }
}

const recordOf = async (id: string) => {
  const { body } = await control.rest('GET', '/byok', { token: person.token })
  return body.find((record: { id: string }) => record.id === id)
}

async function aServiceAccount() {
  const answer = await fetch(`${simulator.url}/vertex/service-account.json`)
  return answer.json()
}

const bedrock = { provider: 'vendor_b', base_url: '/bedrock/anthropic' }
const signed = {
  region: 'us-east-1',
  access_key_id: 'AKIASIMOURS',
  secret_access_key: 'secret-of-AKIASIMOURS',
}
const azure = { endpoint: '/azure', deployment: 'gpt', api_version: '2024-10-21' }

test.each<[what: string, credential: object]>([
  ['vendor_a', { provider: 'vendor_a', api_key: 'sim-ours' }],
  ['vendor_b', { provider: 'vendor_b', api_key: 'sim-ours' }],
  ['vendor_c', { provider: 'vendor_c', api_key: 'sim-ours' }],
  ['its own address', { provider: 'vendor_a', api_key: 'sim-ours', base_url: '/openai/v1' }],
  ['Azure', { provider: 'vendor_a', api_key: 'sim-ours', config_json: azure }],
  ['Bedrock, signed', { ...bedrock, config_json: signed }],
  ['Bedrock, with a bearer key', { ...bedrock, api_key: 'sim-bearer', config_json: { region: 'us-east-1' } }],
  ['Vertex', { provider: 'vendor_c', base_url: '/vertex', config_json: { region: 'us-central1' } }],
])('a credential that works says who answered, and has been used: %s', async (what, credential) => {
  const here = JSON.parse(JSON.stringify(credential).replaceAll(/(?<=":")(?=\/)/g, simulator.url))
  if (what === 'Vertex') here.config_json.service_account = JSON.stringify(await aServiceAccount())
  const id = await add(here)
  const { test: outcome } = await tried(id)
  expect(outcome).toEqual({
    ok: true,
    status: 200,
    message: expect.stringMatching(/^vendor_[abc]\/\S+ answered\./),
    latencyMs: expect.any(Number),
  })
  expect(await recordOf(id)).toMatchObject({ last_used_at: expect.any(String), last_error: null })
})

test('where the operator leads calls to a simulator, the answer says so, and what its keys look like', async () => {
  const note = /A simulator on this machine answered, not the vendor\. It accepts keys that begin with sim-/
  for (const api_key of ['sim-ours', 'sk-real-looking-key-of-ours'])
    expect((await tried(await add({ provider: 'vendor_a', api_key }))).test.message).toMatch(note)
  const base_url = `${simulator.url}/openai/v1` // a credential with a `base_url` is the customer's responsibility
  const own = await tried(await add({ provider: 'vendor_a', api_key: 'sim-ours', base_url }))
  expect(own.test.message).not.toMatch(note)
})

test('is one cheap call: one token of one model', async () => {
  const id = await add({ provider: 'vendor_a', api_key: 'sim-counted' })
  simulator.reset()
  await tried(id)
  expect(simulator.calls).toHaveLength(1)
  expect(simulator.calls[0]!.body).toMatchObject({ messages: [{ role: 'user', content: 'Hi' }] })
  expect(JSON.stringify(simulator.calls[0]!.body)).toMatch(/"max_(completion_)?tokens":1\b/)
})

test.each(['vendor_a', 'vendor_b', 'vendor_c'])(
  "%s's refusal is told in its words, without the key, and stays as last_error",
  async provider => {
    const id = await add({ provider, api_key: 'sim-bad-key-of-ours' })
    for (let i = 0; i < 7; i++) {
      const { test: outcome } = await tried(id)
      expect(outcome).toMatchObject({
        ok: false,
        status: expect.toSatisfy(status => status === 400 || status === 401),
      })
      expect(outcome.message).toMatch(/^40[01]: \S+/)
      expect(outcome.message).not.toContain('sim-bad-key-of-ours')
    }
    const { last_error, last_used_at } = await recordOf(id)
    expect(last_error).toMatch(/^40[01]: /)
    expect(last_used_at).toBeNull()
  },
)

test('an address where nobody answers is told as such', async () => {
  const id = await add({ provider: 'vendor_a', api_key: 'sim-ours', base_url: 'http://127.0.0.1:1' })
  expect((await tried(id)).test).toMatchObject({
    ok: false,
    status: null,
    message: expect.stringMatching(/\S/),
  })
})

test('a disabled one can be tried, one of another account cannot', async () => {
  const id = await add({ provider: 'vendor_a', api_key: 'sim-ours' })
  await control.rest('PUT', `/byok/${id}`, { token: person.token, body: { disabled: true } })
  expect((await tried(id)).test.ok).toBe(true)
  const { token } = await control.aPerson()
  expect((await tried(id, token)).problem).toBe('credential_not_found')
  expect((await tried('no-id')).problem).toBe('credential_not_found')
})

test('an account that never paid has its allowance of tests', async () => {
  const other = await control.aPerson()
  const { body } = await control.rest('POST', '/byok', {
    token: other.token,
    body: { provider: 'vendor_a', label: 'often', api_key: 'sim-ours' },
  })
  const problems = await Promise.all(
    Array.from({ length: 62 }, async () => (await tried(body.id, other.token)).problem),
  )
  expect(problems.filter(problem => problem === 'allowance_exceeded')).toHaveLength(2)
})
