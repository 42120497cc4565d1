import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { subgraph as keys } from '../../subgraphs/keys/subgraph.ts'
import { startSubgraph } from '../../subgraphs/runtime/start-subgraph.ts'
import { aConfig } from '../../test/harness/a-context.ts'
import { aControlPlane, type ControlPlane, type Person } from '../../test/harness/a-control-plane.ts'

const secret = 'a-secret-between-gateway-and-subgraphs'
const ports = { keys: 0 }
let control: ControlPlane
let person: Person
let child: ReturnType<typeof spawn>

beforeAll(async () => {
  ports.keys = await freePort()
  control = await aControlPlane({
    SUBGRAPH_URLS: `keys=http://127.0.0.1:${ports.keys}/`,
    SUBGRAPH_SECRET: secret,
  })
  child = spawn(process.execPath, ['--import', 'tsx', 'subgraphs/main.ts', 'keys'], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_ENV: 'test',
      DATABASE_URL: control.config.databaseUrl,
      REDIS_URL: control.config.redisUrl,
      REDIS_PREFIX: control.config.redisPrefix,
      SUBGRAPH_SECRET: secret,
      SUBGRAPH_PORT: String(ports.keys),
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await vi.waitFor(async () => expect(await ready()).toBe(200), { timeout: 50_000, interval: 100 })
  person = await control.aPerson()
})
afterAll(async () => {
  child.kill('SIGKILL')
  await control.close()
})

/** The subgraph of keys in this process. */
const keysAt = (port: number, SUBGRAPH_SECRET: string) => {
  const { databaseUrl: DATABASE_URL } = control.config
  return startSubgraph(aConfig({ DATABASE_URL, SUBGRAPH_PORT: String(port), SUBGRAPH_SECRET }), keys)
}
const address = () => `http://127.0.0.1:${ports.keys}/`
const ready = async () => (await fetch(`${address()}readyz`).catch(() => undefined))?.status
const create = (input: object, token = person.token) =>
  control.graph(
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key apiKey { id creditLimit } } }',
    { token, variables: { input } },
  )

test('a query spans a subgraph of this process and one of another', async () => {
  await create({ name: 'made elsewhere', creditLimit: 2.5 })
  const { data, errors } = await control.graph('{ me { name apiKeys { name creditLimit } } }', {
    token: person.token,
  })
  expect(errors).toBeUndefined()
  expect(data.me).toEqual({ name: person.email, apiKeys: [{ name: 'made elsewhere', creditLimit: '2.5' }] })
})

test('the REST face works as ever, and errors arrive with their parameter', async () => {
  const made = await control.rest('POST', '/api-keys', { token: person.token, body: { name: 'rest' } })
  expect(made.status).toBe(201)
  const { token } = person
  const nameless = { name: '', ip_whitelist: ['x'] }
  const wrong = await control.rest('POST', '/api-keys', { token, body: nameless })
  expect(wrong.status).toBe(422)
  expect(wrong.body.error).toMatchObject({ code: 'validation_failed', param: 'name' })
  const limitless = { name: 'x', credit_limit: 'y' }
  const scalar = await control.rest('POST', '/api-keys', { token, body: limitless })
  expect(scalar.body.error).toMatchObject({ code: 'validation_failed', param: 'credit_limit' })
  const refused = await control.rest('GET', '/api-keys', { token: made.body.key })
  expect(refused.body.error.code).toBe('jwt_required')
  expect((await create({ name: 'x' }, 'nonsense')).errors?.[0]?.extensions.problem).toBe('unauthenticated')
})

test('a subgraph refuses what the gateway did not sign', async () => {
  const query = JSON.stringify({ query: '{ apiKeys { totalCount } }' })
  const caller = { kind: 'session', accountId: person.accountId, userId: 'x' }
  const call = Buffer.from(JSON.stringify({ requestId: 'x', address: '', caller })).toString('base64url')
  const signature = { 'x-rubicon-time': String(Date.now()), 'x-rubicon-signature': 'AAAA' }
  const forged = { 'x-rubicon-call': call, ...signature }
  for (const headers of [{}, forged]) {
    const all = { 'content-type': 'application/json', ...headers }
    const answer = await fetch(address(), { method: 'POST', headers: all, body: query })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
    expect(await answer.text()).not.toContain('totalCount')
  }
})

test('a subgraph with another secret is a masked error, and the rest of the query is answered', async () => {
  const port = await freePort()
  const stranger = await keysAt(port, 'some-other-secret-of-enough-length')
  const plane = await aControlPlane({ SUBGRAPH_URLS: `keys=${stranger.url}/`, SUBGRAPH_SECRET: secret })
  const someone = await plane.aPerson()
  const { errors } = await plane.graph('{ me { name apiKeys { name } } }', { token: someone.token })
  expect(errors?.[0]?.extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', problem: 'unavailable' })
  expect((await plane.rest('GET', '/me', { token: someone.token })).status).toBe(200)
  await plane.close()
  await stranger.close()
})

test('while the secret is rotated, a subgraph accepts gateways with the old and with the new one', async () => {
  const rotated = `another-secret-of-gateway-and-subgraphs, ${secret}`
  const subgraph = await keysAt(await freePort(), rotated)
  for (const SUBGRAPH_SECRET of [secret, rotated]) {
    const plane = await aControlPlane({ SUBGRAPH_URLS: `keys=${subgraph.url}/`, SUBGRAPH_SECRET })
    const someone = await plane.aPerson()
    expect((await plane.rest('GET', '/api-keys', { token: someone.token })).status).toBe(200)
    await plane.close()
  }
  await subgraph.close()
})

test('a subgraph that was killed is 503 over REST, and everything is back with it', async () => {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
  const gone = await control.rest('GET', '/api-keys', { token: person.token })
  expect(gone.status).toBe(503)
  expect(gone.body.error.code).toBe('unavailable')
  const again = await keysAt(ports.keys, secret)
  expect((await control.rest('GET', '/api-keys', { token: person.token })).status).toBe(200)
  await again.close()
})
