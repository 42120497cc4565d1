import { expect, test } from 'vitest'
import type { KeyScope } from '../../schema/entities/keys.ts'
import { joinAccount } from '../harness/an-account.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeBeforeControl)
const person = perFile(() => system.aPerson())

const keys = (method: string, path: string, body: unknown, token: string | undefined = person.token) =>
  system.rest(method, `/api-keys${path}`, { body, token })

/** A provisioning key with the given scopes. */
async function aManager(scopes?: KeyScope[], settings: object = {}): Promise<{ id: string; key: string }> {
  const body = { name: 'a manager', is_provisioning: true, ...(scopes && { scopes }), ...settings }
  return (await keys('POST', '', body)).body
}

const statusOf = async (method: string, path: string, token: string, body?: object) =>
  (await system.rest(method, path, { token, body })).status

const recordOf = async (id: string) => {
  const { body } = await keys('GET', '', undefined)
  return body.find((record: { id: string }) => record.id === id)
}

test('a provisioning key has all scopes unless its creator chooses, and its record shows them', async () => {
  expect(await recordOf((await aManager()).id)).toMatchObject({ scopes: ['all'] })
  const { id } = await aManager(['read', 'byok', 'read'])
  expect(await recordOf(id)).toMatchObject({ is_provisioning: true, scopes: ['read', 'byok'] })
})

test.each([
  ['of an ordinary key', { scopes: ['read'] }, 'scopes'],
  ['that are an empty list', { is_provisioning: true, scopes: [] }, 'scopes'],
  ['that do not exist', { is_provisioning: true, scopes: ['read', 'root'] }, 'scopes[1]'],
  ['that are no list', { is_provisioning: true, scopes: 7 }, 'scopes'],
])('scopes %s are refused by name', async (_, body, param) => {
  const { status, body: answer } = await keys('POST', '', { name: 'a key', ...body })
  expect([status, answer.error.param]).toEqual([422, param])
})

test('a change of scopes is in effect for new requests once it is answered, and keeps the other settings', async () => {
  const { id, key } = await aManager(['read'], { expires_at: '2099-01-01T00:00:00.000Z' })
  expect(await statusOf('POST', '/billing/alerts', key, { threshold: 1 })).toBe(403)
  const before = await system.context.sql`select revision from api_keys where id = ${id}`
  const changed = await keys('PUT', `/${id}`, { scopes: ['billing'] })
  expect([changed.status, changed.body.scopes, changed.body.expires_at]).toEqual([
    200,
    ['billing'],
    '2099-01-01T00:00:00.000Z',
  ])
  const after = await system.context.sql`select revision from api_keys where id = ${id}`
  expect(after[0]?.revision).toBe(before[0]?.revision + 1n)
  expect(await statusOf('POST', '/billing/alerts', key, { threshold: 1 })).toBe(201)
  expect(await statusOf('GET', '/audit-log', key)).toBe(403)
  expect((await keys('PUT', `/${id}`, { name: 'renamed' })).body.scopes).toEqual(['billing'])
})

test('a refusal names the scope that the key needs', async () => {
  const { key } = await aManager(['read'])
  const { status, body } = await system.rest('POST', '/byok', {
    token: key,
    body: { provider: 'vendor_a', label: 'ours', api_key: 'sk-1234567890' },
  })
  expect([status, body.msg]).toEqual([403, 'The key needs the scope byok for this operation.'])
})

test('a provisioning key without the scope keys is refused at the keys as before: it needs a session', async () => {
  const { key } = await aManager()
  const answers = [await keys('GET', '', undefined, key), await keys('POST', '', { name: 'a key' }, key)]
  expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
    answers.map(() => [401, 'jwt_required']),
  )
})

test('a key with the scope keys manages ordinary keys and sees no full text', async () => {
  const { key } = await aManager(['keys'])
  const made = await keys('POST', '', { name: 'of a program', rate_limit_rpm: 5 }, key)
  expect([made.status, made.body.key]).toEqual([201, expect.stringMatching(/^sk-rb-[0-9A-Za-z]{12}-/)])
  const { id } = made.body
  expect((await keys('PUT', `/${id}`, { rate_limit_rpm: 6 }, key)).body).toMatchObject({ rate_limit_rpm: 6 })
  expect((await keys('POST', `/${id}/roll`, {}, key)).status).toBe(200)
  const listed = (await keys('GET', '', undefined, key)).body
  const record = listed.find((one: { id: string }) => one.id === id)
  expect(record).toMatchObject({ name: 'of a program', created_by: null })
  expect(listed.filter((one: object) => 'full_key' in one)).toEqual([])
  expect((await keys('DELETE', `/${id}`, undefined, key)).status).toBe(204)
  expect(await statusOf('GET', '/logs/requests', key)).toBe(403)
})

test.each<[string, KeyScope[]]>([
  ['with the scope keys', ['keys']],
  ['with every scope', ['all', 'keys', 'members']],
])('a key %s cannot widen, roll, revoke or copy itself or another provisioning key', async (_, scopes) => {
  const manager = await aManager(scopes)
  const other = await aManager(['read'])
  const attempts = [manager.id, other.id].flatMap(id => [
    keys('PUT', `/${id}`, { scopes: ['all', 'keys', 'members'] }, manager.key),
    keys('PUT', `/${id}`, { expires_at: null }, manager.key),
    keys('POST', `/${id}/roll`, {}, manager.key),
    keys('DELETE', `/${id}`, undefined, manager.key),
  ])
  const copies = [
    keys('POST', '', { name: 'a copy', is_provisioning: true, scopes }, manager.key),
    keys('POST', '', { name: 'less', is_provisioning: true, scopes: ['keys'] }, manager.key),
  ]
  const answers = await Promise.all([...attempts, ...copies])
  expect(answers.map(({ status, body }) => [status, body?.error.code])).toEqual(
    answers.map(() => [403, 'forbidden']),
  )
  expect(await recordOf(manager.id)).toMatchObject({ scopes })
  expect(await recordOf(other.id)).toMatchObject({ scopes: ['read'] })
})

test('a member gives a key only scopes that the role has', async () => {
  const token = await joinAccount(system, { accountId: person.accountId, role: 'developer' })
  const make = (scopes: KeyScope[]) => keys('POST', '', { name: 'k', is_provisioning: true, scopes }, token)
  const made = await make(['read', 'keys', 'byok', 'tasks'])
  expect(made.status).toBe(201)
  for (const scopes of [['all'], ['billing'], ['read', 'members']] satisfies KeyScope[][]) {
    expect((await make(scopes)).status).toBe(403)
    expect((await keys('PUT', `/${made.body.id}`, { scopes }, token)).status).toBe(403)
  }
  expect((await keys('PUT', `/${made.body.id}`, { scopes: ['read'] }, token)).status).toBe(200)
  const { id } = await aManager(['billing'])
  expect((await keys('PUT', `/${id}`, { scopes: ['read'] }, token)).status).toBe(403)
})

test('a management key is refused once it has expired, and works again with a later expiry', async () => {
  const { id, key } = await aManager(['read', 'keys'], {
    expires_at: new Date(Date.now() + 1_500).toISOString(),
  })
  expect(await statusOf('GET', '/usage', key)).toBe(200)
  await expect.poll(() => statusOf('GET', '/usage', key), { timeout: 5_000, interval: 100 }).toBe(403)
  const refused = await keys('PUT', `/${id}`, { expires_at: null }, key)
  expect([refused.status, refused.body.error.code]).toEqual([403, 'key_expired'])
  await keys('PUT', `/${id}`, { expires_at: null })
  expect(await statusOf('GET', '/usage', key)).toBe(200)
})

test('scopes hold where /v1 accepts provisioning keys', async () => {
  const get = async (path: string, { key }: { key: string }) => {
    const headers = { authorization: `Bearer ${key}` }
    return (await fetch(`${system.edge.url}/v1${path}`, { headers })).status
  }
  const [reader, billing, byok] = [
    await aManager(['read']),
    await aManager(['billing']),
    await aManager(['byok']),
  ]
  const unknown = `/generation?id=req_${'0'.repeat(32)}`
  expect([await get('/credits', reader), await get(unknown, reader)]).toEqual([200, 404])
  expect([await get('/credits', billing), await get(unknown, billing)]).toEqual([200, 403])
  expect([await get('/credits', byok), await get(unknown, byok)]).toEqual([403, 403])
  expect(await get('/key', byok)).toBe(200)
})

test('the audit log names the change of scopes, without the scopes', async () => {
  const { id } = await aManager(['read'])
  await keys('PUT', `/${id}`, { scopes: ['billing'] })
  const { body } = await system.rest('GET', '/audit-log', { token: person.token })
  const [entry] = body.data.filter(({ target_id }: { target_id: string }) => target_id === id)
  expect(entry).toMatchObject({ action: 'updateApiKey', fields: ['scopes'] })
})
