import { expect, test } from 'vitest'
import type { Role } from '../../schema/entities/accounts.ts'
import type { KeyScope } from '../../schema/entities/keys.ts'
import { aControlPlane, type Person } from '../harness/a-control-plane.ts'
import { aMember, joinAccount } from '../harness/an-account.ts'
import { perFile } from '../harness/per-file.ts'

const control = perFile(() => aControlPlane({ SIGN_UPS: '1000', LOGIN_TRIES: '1000' }))

const memberOf = (person: Person, role: Role) => joinAccount(control, { accountId: person.accountId, role })
const idOf = async (token: string): Promise<string> =>
  (await control.graph('{ viewer { user { id } } }', { token })).data.viewer.user.id
const outcomeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body?.error?.code,
]
const put = (token: string, id: string, role: Role) =>
  control.rest('PUT', `/members/${id}`, { token, body: { role } })
const remove = (token: string, id: string, query = '') =>
  control.rest('DELETE', `/members/${id}${query}`, { token })
const rolesOf = async ({ accountId }: Person) => {
  const rows = await control.context.sql<{ role: Role }[]>`
    select role from memberships where account_id = ${accountId} order by created_at`
  return rows.map(({ role }) => role)
}

test('members are listed page by page with their roles, to every role', async () => {
  const owner = await control.aPerson()
  for (const role of ['admin', 'viewer'] as const) await memberOf(owner, role)
  const token = await memberOf(owner, 'viewer')
  const { body } = await control.rest('GET', '/members?per_page=3', { token })
  expect(body).toMatchObject({ total: 4, page: 1, per_page: 3 })
  expect(body.data.map(({ role }: { role: Role }) => role)).toEqual(['owner', 'admin', 'viewer'])
  expect(body.data[0]).toEqual({
    id: await idOf(owner.token),
    email: owner.email,
    name: owner.email,
    role: 'owner',
    email_confirmed_at: null,
    created_at: expect.any(String),
    last_used_at: expect.any(String),
  })
  const next = await control.rest('GET', '/members?per_page=3&page=2', { token })
  expect(next.body.data).toHaveLength(1)
})

test('an admin changes and removes members, but only owners change, make and remove owners', async () => {
  const owner = await control.aPerson()
  const [admin, viewer] = [await memberOf(owner, 'admin'), await memberOf(owner, 'viewer')]
  const [ownerId, adminId, viewerId] = [await idOf(owner.token), await idOf(admin), await idOf(viewer)]
  expect((await put(admin, viewerId, 'developer')).body).toMatchObject({ id: viewerId, role: 'developer' })
  for (const answer of [
    await put(admin, viewerId, 'owner'),
    await put(admin, adminId, 'owner'),
    await put(admin, ownerId, 'viewer'),
    await remove(admin, ownerId),
    await put(viewer, adminId, 'viewer'),
  ])
    expect(outcomeOf(answer)).toEqual([403, 'forbidden'])
  expect((await put(owner.token, adminId, 'owner')).status).toBe(200)
  expect((await remove(admin, viewerId)).status).toBe(204)
  expect(await rolesOf(owner)).toEqual(['owner', 'owner'])
})

test('a key manages members only up to its own rights', async () => {
  const owner = await control.aPerson()
  const ids = { viewer: '', admin: '' }
  for (const role of ['viewer', 'admin'] as const) ids[role] = await idOf(await memberOf(owner, role))
  const aKey = async (...scopes: KeyScope[]): Promise<string> => {
    const body = { name: 'members', is_provisioning: true, scopes }
    return (await control.rest('POST', '/api-keys', { token: owner.token, body })).body.key
  }
  const [alone, reader, wide] = [
    await aKey('members'),
    await aKey('members', 'read'),
    await aKey('members', 'all', 'keys'),
  ]
  for (const answer of [
    await put(alone, ids.viewer, 'admin'),
    await put(alone, ids.viewer, 'viewer'),
    await put(reader, ids.viewer, 'developer'),
    await put(reader, ids.admin, 'viewer'),
    await remove(reader, ids.admin),
    await put(wide, ids.admin, 'owner'),
  ])
    expect(outcomeOf(answer)).toEqual([403, 'forbidden'])
  expect((await put(wide, ids.viewer, 'admin')).status).toBe(200)
  expect((await put(wide, ids.viewer, 'viewer')).status).toBe(200)
  expect((await remove(reader, ids.viewer)).status).toBe(204)
})

test('the last owner cannot leave, be removed or demoted', async () => {
  const owner = await control.aPerson()
  const id = await idOf(owner.token)
  await memberOf(owner, 'admin')
  for (const answer of [
    await put(owner.token, id, 'admin'),
    await remove(owner.token, id),
    await control.rest('POST', '/auth/leave-account', { token: owner.token }),
  ])
    expect(outcomeOf(answer)).toEqual([409, 'last_owner'])
  expect(await rolesOf(owner)).toEqual(['owner', 'admin'])
})

test('of two owners who demote, remove or leave at the same time, one stays', async () => {
  for (let turn = 0; turn < 6; turn++) {
    const first = await control.aPerson()
    const second = await memberOf(first, 'owner')
    const [firstId, secondId] = [await idOf(first.token), await idOf(second)]
    const answers = await Promise.all(
      turn % 3 === 0
        ? [put(first.token, secondId, 'viewer'), put(second, firstId, 'viewer')]
        : turn % 3 === 1
          ? [remove(first.token, secondId), remove(second, firstId)]
          : [first.token, second].map(token => control.rest('POST', '/auth/leave-account', { token })),
    )
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
    expect((await rolesOf(first)).filter(role => role === 'owner')).toHaveLength(1)
  }
})

test('a member who is removed or leaves keeps no session in the account, and the sessions in others', async () => {
  const [owner, other] = [await control.aPerson(), await control.aPerson()]
  const { sql } = control.context
  const otherId = await idOf(other.token)
  const join = () => sql`
    insert into memberships (account_id, user_id, role) values (${owner.accountId}, ${otherId}, 'developer')`
  const enter = async () => {
    const { body } = await control.rest('POST', '/auth/switch-account', {
      token: other.token,
      body: { account_id: owner.accountId },
    })
    return body
  }
  const isGone = async ({ access_token, refresh_token }: { access_token: string; refresh_token: string }) => {
    const used = await control.rest('GET', '/me', { token: access_token })
    const refreshed = await control.rest('POST', '/auth/refresh', { body: { refresh_token } })
    expect([outcomeOf(used), outcomeOf(refreshed)]).toEqual([
      [401, 'token_expired'],
      [401, 'token_expired'],
    ])
  }
  await join()
  const removed = await enter()
  expect((await remove(owner.token, otherId)).status).toBe(204)
  await isGone(removed)
  await join()
  await isGone(removed) // a new membership does not revive the old session
  const left = await enter()
  expect((await control.rest('POST', '/auth/leave-account', { token: left.access_token })).status).toBe(204)
  await isGone(left)
  expect((await control.rest('GET', '/me', { token: other.token })).body.id).toBe(other.accountId)
})

test('the keys of a removed member stay with the account, or are disabled', async () => {
  const owner = await control.aPerson()
  const aKeyOf = async (token: string) =>
    (await control.rest('POST', '/api-keys', { token, body: { name: 'x' } })).body
  const isDisabled = async (id: string) => {
    const { body } = await control.rest('GET', '/api-keys', { token: owner.token })
    const key = body.find((one: { id: string }) => one.id === id)
    return [key.disabled, key.created_by]
  }
  const own = await aKeyOf(owner.token)
  const [staying, leaving] = [await memberOf(owner, 'developer'), await memberOf(owner, 'developer')]
  const [kept, disabled] = [await aKeyOf(staying), await aKeyOf(leaving)]
  const [stayingId, leavingId] = [await idOf(staying), await idOf(leaving)]
  expect((await remove(owner.token, stayingId)).status).toBe(204)
  expect((await remove(owner.token, leavingId, '?disable_api_keys=true')).status).toBe(204)
  expect(await isDisabled(kept.id)).toEqual([false, stayingId])
  expect(await isDisabled(disabled.id)).toEqual([true, leavingId])
  expect(await isDisabled(own.id)).toEqual([false, await idOf(owner.token)])
  const refused = await control.rest('GET', '/me', { token: disabled.key })
  expect(outcomeOf(refused)).toEqual([403, 'key_disabled'])
})

test('a user lists the own accounts and switches between them; a log-in opens the account used last', async () => {
  const [owner, person] = [await control.aPerson(), await control.aPerson()]
  const userId = await idOf(person.token)
  await control.context.sql`
    insert into memberships (account_id, user_id, role) values (${owner.accountId}, ${userId}, 'billing')`
  const accountsOf = async (token: string) => {
    const { body } = await control.rest('GET', '/auth/accounts', { token })
    return body.data.map((one: { account_id: string; role: Role; is_current: boolean }) => [
      one.account_id,
      one.role,
      one.is_current,
    ])
  }
  expect(await accountsOf(person.token)).toEqual([
    [person.accountId, 'owner', true],
    [owner.accountId, 'billing', false],
  ])
  const body = { account_id: owner.accountId }
  const switched = await control.rest('POST', '/auth/switch-account', { token: person.token, body })
  expect(switched.body.account.id).toBe(owner.accountId)
  expect(await accountsOf(switched.body.access_token)).toContainEqual([owner.accountId, 'billing', true])
  const refused = await control.rest('POST', '/api-keys', {
    token: switched.body.access_token,
    body: { name: 'x' },
  })
  expect(outcomeOf(refused)).toEqual([403, 'forbidden'])
  const { email, password } = person
  const again = await control.rest('POST', '/auth/log-in', { body: { email, password } })
  expect(again.body.account.id).toBe(owner.accountId)
  const stranger = await control.aPerson()
  const foreign = { account_id: stranger.accountId }
  const unknown = await control.rest('POST', '/auth/switch-account', { token: person.token, body: foreign })
  expect(outcomeOf(unknown)).toEqual([404, 'account_not_found'])
})

test('a log-out ends the sessions to which the user switched, and a log-out of such a session ends it alone', async () => {
  const person = await control.aPerson()
  const switched = async (token: string) => {
    const body = { account_id: person.accountId }
    return (await control.rest('POST', '/auth/switch-account', { token, body })).body
  }
  const [first, second] = [await switched(person.token), await switched(person.token)]
  const nested = await switched(second.access_token)
  const tokens = [person.token, first.access_token, second.access_token, nested.access_token]
  const statuses = () =>
    Promise.all(tokens.map(async token => (await control.rest('GET', '/auth/accounts', { token })).status))
  await control.rest('POST', '/auth/log-out', { token: second.access_token })
  expect(await statuses()).toEqual([200, 200, 401, 200])
  await control.rest('POST', '/auth/log-out', { token: person.token })
  expect(await statuses()).toEqual([401, 401, 401, 401])
  const body = { refresh_token: nested.refresh_token }
  expect((await control.rest('POST', '/auth/refresh', { body })).status).toBe(401)
})

test('the audit log names the person, also after the person has left', async () => {
  const owner = await control.aPerson()
  const token = await memberOf(owner, 'admin')
  const { userId } = await aMember(control.context, { accountId: owner.accountId, role: 'viewer' })
  await put(token, userId, 'developer')
  const actorId = await idOf(token)
  const { email } = (await control.graph('{ viewer { user { email } } }', { token })).data.viewer.user
  await remove(owner.token, actorId)
  const { body } = await control.rest('GET', '/audit-log', { token: owner.token })
  expect(body.data.find(({ action }: { action: string }) => action === 'updateMember')).toMatchObject({
    user_id: actorId,
    actor_email: email,
    target_id: userId,
    fields: ['role'],
  })
  expect(body.data[0]).toMatchObject({ action: 'removeMember', actor_email: owner.email, target_id: actorId })
})
