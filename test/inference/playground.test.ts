import { afterEach, expect, test } from 'vitest'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { systemIds } from '../../platform/ids.ts'
import type { Role } from '../../schema/entities/accounts.ts'
import { saying } from '../harness/a-client.ts'
import type { Person } from '../harness/a-rest-caller.ts'
import { joinAccount } from '../harness/an-account.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { balanceOf, expectLedgerToBalance, logsOf } from '../harness/invariants.ts'
import { perFile } from '../harness/per-file.ts'

const operator = mintOperatorKey(systemIds)
const service = 'https://rubicon.example.com'
const system = perFile(() =>
  anEdgeBeforeControl({ BASE_URL: service, SIGN_UPS: '1000', OPERATOR_KEYS: `ada=${operator.digest}` }),
)
afterEach(() => expectLedgerToBalance(system.context.sql))

const dollarNanos = 1_000_000_000n

/** A person whose account has ten dollars. */
async function aRichPerson(): Promise<Person> {
  const person = await system.aPerson()
  const gift = { amountNanos: 10n * dollarNanos, source: 'test', paymentMethod: 'grant' } as const
  await creditAccount(system.context, { accountId: person.accountId, ...gift })
  return person
}

interface Sending {
  body?: object
  path?: string
  headers?: Record<string, string>
}

/** Sends a request as a page of the console does. */
function send(
  token: string,
  { body = saying('Hello'), path = '/chat/completions', headers = {} }: Sending = {},
) {
  return fetch(system.baseURL + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      origin: service,
      ...headers,
    },
    body: JSON.stringify(body),
  })
}

/** The status and the error code of a request of the playground. */
async function outcomeOf(
  token: string,
  sending?: Sending,
): Promise<[status: number, code: string | undefined]> {
  const response = await send(token, sending)
  const body = await response.json()
  return [response.status, body.error?.code]
}

const keysOf = async ({ token }: Pick<Person, 'token'>) =>
  (await system.rest('GET', '/api-keys', { token })).body
const change = (token: string, id: string, body: object) =>
  system.rest('PUT', `/api-keys/${id}`, { token, body })

test('a session calls models with the key Playground, which its first use creates', async () => {
  const person = await aRichPerson()
  const { accountId } = person
  const statuses = await Promise.all(Array.from({ length: 5 }, () => outcomeOf(person.token)))
  expect(statuses.map(([status]) => status)).toEqual([200, 200, 200, 200, 200])
  const [key, ...others] = await keysOf(person)
  expect(others).toEqual([])
  expect(key).toMatchObject({ name: 'Playground', is_playground: true, created_by: null, credit_limit: null })
  expect(key).not.toHaveProperty('full_key')

  const logs = await logsOf(system, person)
  expect(logs.map(log => log.api_key_id)).toEqual(Array(5).fill(key.id))
  const costNanos = logs.reduce((sum, log) => sum + log.cost_nanos, 0n)
  expect(costNanos).toBeGreaterThan(0n)
  const { credits } = await balanceOf(system.context.sql, accountId)
  expect(credits).toBe(10n * dollarNanos - costNanos)
  expect((await keysOf(person))[0].credit_used).toBe(Number(costNanos) / 1e9)

  const { body } = await system.rest('GET', '/audit-log', { token: person.token })
  const made = body.data.filter(({ action }: { action: string }) => action === 'createPlaygroundKey')
  expect(made).toMatchObject([{ actor_email: person.email, target_type: 'ApiKey', target_id: key.id }])
})

test('streams, images and tasks work like with a key', async () => {
  const { token } = await aRichPerson()
  const stream = await send(token, { body: { ...saying('Hello'), stream: true } })
  expect(await stream.text()).toMatch(/"usage".*\[DONE\]/s)
  const image = { model: 'vendor_f/canvas-fast', prompt: 'A boat' }
  expect(await outcomeOf(token, { path: '/images/generations', body: image })).toEqual([200, undefined])
  const video = { model: 'vendor_i/reel', prompt: 'Rain' }
  expect(await outcomeOf(token, { path: '/videos/generations', body: video })).toEqual([200, undefined])
})

test.each<[string, Record<string, string>]>([
  ['a page of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['a sibling host', { origin: 'https://evil.example.com', 'sec-fetch-site': 'same-site' }],
  ['the host without TLS', { origin: 'http://rubicon.example.com' }],
  ['a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ['a program, which sends no origin', { origin: '' }],
])('%s cannot spend with a stolen session token', async (_, headers) => {
  const { token, accountId } = await aRichPerson()
  const response = await send(token, { headers })
  expect([response.status, await response.json()]).toEqual([
    401,
    { code: 401, msg: 'You do not have access permissions' },
  ])
  expect(await logsOf(system, { accountId })).toEqual([])
})

test('the cookie of a session is no credential', async () => {
  const { email, password } = await aRichPerson()
  const headers = { origin: service, 'x-session-cookie': '1' }
  const { headers: set } = await system.rest('POST', '/auth/log-in', { headers, body: { email, password } })
  const cookie = set.getSetCookie()[0]?.split(';')[0] ?? ''
  expect(cookie).toMatch(/rb-refresh-/)
  const response = await fetch(`${system.baseURL}/chat/completions`, {
    method: 'POST',
    headers: { ...headers, cookie, 'content-type': 'application/json' },
    body: JSON.stringify(saying('Hello')),
  })
  expect(response.status).toBe(401)
})

test('behind another address than BASE_URL, the browser states that the page is of the same origin', async () => {
  const { token } = await aRichPerson()
  const headers = { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' }
  expect(await outcomeOf(token, { headers })).toEqual([200, undefined])
})

test('sessions that ended, forged tokens, refresh tokens and views are refused', async () => {
  const { token, refreshToken, accountId } = await aRichPerson()
  const forged = `${token.slice(0, -4)}AAAA`
  expect(await outcomeOf(forged)).toEqual([401, 'unauthenticated'])
  expect((await send(refreshToken)).status).toBe(401)
  const view = await system.rest('POST', `/operator/accounts/${accountId}/view`, {
    token: operator.key,
    body: { reason: 'a test' },
  })
  expect((await send(view.body.access_token)).status).toBe(401)
  expect((await system.rest('POST', '/auth/log-out', { token })).status).toBe(204)
  expect(await outcomeOf(token)).toEqual([401, 'token_expired'])
})

test.each<[Role, number]>([
  ['owner', 200],
  ['admin', 200],
  ['developer', 200],
  ['billing', 403],
  ['viewer', 403],
])('a member with the role %s gets %i', async (role, status) => {
  const { accountId } = await aRichPerson()
  const token = await joinAccount(system, { accountId, role })
  expect(await outcomeOf(token)).toEqual([status, status === 403 ? 'forbidden' : undefined])
})

test('a member without the second factor that the account requires is refused', async () => {
  const { token, accountId } = await aRichPerson()
  await system.context.sql`update accounts set requires_second_factor = true where id = ${accountId}`
  expect(await outcomeOf(token)).toEqual([403, 'second_factor_required'])
})

test('the playground of a suspended account is refused, and of another account is never paid', async () => {
  const [person, other] = [await aRichPerson(), await aRichPerson()]
  expect(await outcomeOf(person.token)).toEqual([200, undefined])
  const { credits } = await balanceOf(system.context.sql, other.accountId)
  expect(credits).toBe(10n * dollarNanos)
  const { status } = await system.rest('POST', `/operator/accounts/${person.accountId}/suspend`, {
    token: operator.key,
    body: { reason: 'a test' },
  })
  expect(status).toBeLessThan(300)
  expect(await outcomeOf(person.token)).toEqual([403, 'account_suspended'])
})

test('a disabled key turns the playground off, and a revoked one until it is created again', async () => {
  const person = await aRichPerson()
  const { token } = person
  await outcomeOf(token)
  const [{ id }] = await keysOf(person)
  await change(token, id, { disabled: true })
  expect(await outcomeOf(token)).toEqual([403, 'key_disabled'])
  await change(token, id, { disabled: false })
  expect(await outcomeOf(token)).toEqual([200, undefined])

  const create = () => system.rest('POST', '/api-keys/playground', { token, body: {} })
  expect((await create()).body.error.code).toBe('conflict')
  await system.rest('DELETE', `/api-keys/${id}`, { token })
  expect(await outcomeOf(token)).toEqual([403, 'playground_revoked'])
  expect(await keysOf(person)).toEqual([])
  const created = await create()
  expect([created.status, created.body]).toMatchObject([201, { name: 'Playground', is_playground: true }])
  expect(await outcomeOf(token)).toEqual([200, undefined])
})

test('its limits apply: spend cap, allowed models, addresses', async () => {
  const person = await aRichPerson()
  const { token } = person
  const { id } = (await system.rest('POST', '/api-keys/playground', { token, body: {} })).body
  await change(token, id, { credit_limit: 0 })
  expect(await outcomeOf(token)).toEqual([402, 'credit_limit_reached'])
  await change(token, id, { credit_limit: null, allowed_models: ['vendor_b/*'] })
  expect(await outcomeOf(token)).toEqual([403, 'model_not_allowed'])
  await change(token, id, { allowed_models: null, ip_whitelist: ['203.0.113.7'] })
  expect(await outcomeOf(token)).toEqual([403, 'ip_not_allowed'])
})

test('the budget of a member counts what the member spends, and nothing of the others', async () => {
  const owner = await aRichPerson()
  const token = await joinAccount(system, { accountId: owner.accountId, role: 'developer' })
  const { body } = await system.rest('GET', '/members', { token: owner.token })
  const { id } = body.data.find(({ role }: { role: Role }) => role === 'developer')
  await outcomeOf(owner.token) // creates the key
  const budget = { member_id: id, limit: 0 }
  expect((await system.rest('POST', '/budgets', { token: owner.token, body: budget })).status).toBe(201)
  expect(await outcomeOf(token)).toEqual([402, 'budget_limit_reached'])
  const video = { path: '/videos/generations', body: { model: 'vendor_i/reel', prompt: 'Rain' } }
  expect(await outcomeOf(token, video)).toEqual([402, 'budget_limit_reached'])
  expect(await outcomeOf(owner.token)).toEqual([200, undefined])
  // The key changes while the process has a copy: the request with the new copy has the same member.
  const [key] = await keysOf(owner)
  await change(owner.token, key.id, { name: 'Play' })
  expect(await outcomeOf(token)).toEqual([402, 'budget_limit_reached'])
})

test('the key cannot be rolled, and no text of a key presents it', async () => {
  const person = await aRichPerson()
  await outcomeOf(person.token)
  const [{ id }] = await keysOf(person)
  const rolled = await system.rest('POST', `/api-keys/${id}/roll`, { token: person.token, body: {} })
  expect([rolled.status, rolled.body.error.code]).toEqual([409, 'conflict'])
  const { sql } = system.context
  const [row] = await sql<{ public_id: string; full_key_sealed: null }[]>`
    select public_id, full_key_sealed from api_keys where id = ${id}`
  expect(row?.full_key_sealed).toBe(null)
  const guess = await send(`sk-rb-${row?.public_id}-${'0'.repeat(48)}`)
  expect(guess.status).toBe(401)
})
