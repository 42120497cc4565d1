import { expect, test } from 'vitest'
import type { Role } from '../../schema/entities/accounts.ts'
import { theControlPlane } from '../harness/a-control-plane.ts'
import { joinAccount } from '../harness/an-account.ts'

const { control, person } = theControlPlane()

const memberOf = (role: Role) => joinAccount(control, { accountId: person.accountId, role })
const createKey = (token: string, isProvisioning = false) =>
  control.rest('POST', '/api-keys', { token, body: { name: 'a key', is_provisioning: isProvisioning } })

test('a demotion and a removal hold at the next request', async () => {
  const { sql } = control.context
  const token = await memberOf('developer')
  expect((await createKey(token)).status).toBe(201)
  await sql`update memberships set role = 'viewer' where account_id = ${person.accountId} and role = 'developer'`
  const refused = await createKey(token)
  expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden'])
  expect(refused.body.msg).toContain('viewer')
  expect((await control.rest('GET', '/me', { token })).status).toBe(200)
  await sql`delete from memberships where account_id = ${person.accountId} and role = 'viewer'`
  const ended = await control.rest('GET', '/me', { token })
  expect([ended.status, ended.body.error.code]).toEqual([401, 'token_expired'])
})

test('a user without an account cannot log in', async () => {
  const { email, password, accountId, refreshToken } = await control.aPerson()
  await control.context.sql`delete from memberships where account_id = ${accountId}`
  const refused = await control.rest('POST', '/auth/log-in', { body: { email, password } })
  expect([refused.status, refused.body.error.code]).toEqual([403, 'no_membership'])
  const refreshed = await control.rest('POST', '/auth/refresh', { body: { refresh_token: refreshToken } })
  expect(refreshed.body.error.code).toBe('token_expired')
})

test('every role lists keys, and only roles that manage a key see its full text', async () => {
  const ordinary = (await createKey(person.token)).body
  const provisioning = (await createKey(person.token, true)).body
  const fullKeysFor = async (role: Role) => {
    const { body } = await control.rest('GET', '/api-keys', { token: await memberOf(role) })
    const keyOf = (id: string) => body.find((one: { id: string }) => one.id === id)?.full_key ?? null
    return [keyOf(ordinary.id), keyOf(provisioning.id)]
  }
  expect(await fullKeysFor('admin')).toEqual([ordinary.key, provisioning.key])
  expect(await fullKeysFor('developer')).toEqual([ordinary.key, null])
  expect(await fullKeysFor('billing')).toEqual([null, null])
  expect(await fullKeysFor('viewer')).toEqual([null, null])
})

test('a developer does not gain the rights of a provisioning key', async () => {
  const { id, key } = (await createKey(person.token, true)).body
  const token = await memberOf('developer')
  const answers = [
    await createKey(token, true),
    await control.rest('PUT', `/api-keys/${id}`, { token, body: { ip_whitelist: [] } }),
    await control.rest('POST', `/api-keys/${id}/roll`, { token, body: {} }),
    await control.rest('DELETE', `/api-keys/${id}`, { token }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  expect((await control.rest('GET', '/budgets', { token: key })).status).toBe(200)
})

test('permittedFields lists what the caller may use', async () => {
  const fieldsFor = async (token: string): Promise<string[]> =>
    (await control.graph('{ viewer { permittedFields } }', { token })).data.viewer.permittedFields
  const [owner, billing, viewer] = [
    await fieldsFor(person.token),
    await fieldsFor(await memberOf('billing')),
    await fieldsFor(await memberOf('viewer')),
  ]
  expect(owner).toEqual(expect.arrayContaining([...billing, 'Mutation.createApiKey']))
  expect(owner).not.toContain('Mutation.creditAccount')
  expect(billing.filter(field => !viewer.includes(field))).toContain('Mutation.startTopUp')
  expect(viewer).toEqual(expect.arrayContaining(['Query.me', 'Account.balance']))
  expect(viewer).not.toContain('Mutation.createApiKey')
})
