import { expect, test } from 'vitest'
import { perFile } from '../harness/per-file.ts'
import { anAccountSystem } from './an-account-system.ts'

const system = perFile(anAccountSystem)

test('a person lists sessions and ends one; other people see and end none of them', async () => {
  const person = await system.aPerson()
  const { email, password } = person
  const logIn = await system.rest('POST', '/auth/log-in', {
    body: { email, password },
    headers: { 'x-forwarded-for': '198.51.100.7' },
  })
  const token = logIn.body.access_token
  const list = async (of: string) => (await system.rest('GET', '/auth/sessions', { token: of })).body
  const listed = await list(token)
  expect(listed).toMatchObject({ total: 2, page: 1, per_page: 20 })
  expect(
    listed.data.map(({ address, is_current }: Record<string, unknown>) => [address, is_current]),
  ).toEqual([
    ['198.51.100.7', true],
    ['127.0.0.1', false],
  ])

  // A refreshed session is the same one, used later.
  const refreshed = await system.rest('POST', '/auth/refresh', {
    body: { refresh_token: person.refreshToken },
  })
  const [, first] = (await list(token)).data
  expect(first).toMatchObject({ id: listed.data[1].id, created_at: listed.data[1].created_at })
  expect(Date.parse(first.last_used_at)).toBeGreaterThanOrEqual(Date.parse(listed.data[1].last_used_at))

  const stranger = await system.aPerson()
  const end = (id: string, of: string) => system.rest('DELETE', `/auth/sessions/${id}`, { token: of })
  expect((await end(first.id, stranger.token)).status).toBe(404)
  const { data } = await system.graph(`{ node(id: "${first.id}") { id } }`, { token: stranger.token })
  expect(data.node).toBeNull()

  expect((await end(first.id, token)).status).toBe(204)
  expect((await system.rest('GET', '/me', { token: refreshed.body.access_token })).status).toBe(401)
  expect((await end(first.id, token)).status).toBe(404)
  expect((await list(token)).data).toHaveLength(1)
  const log = await system.rest('GET', '/audit-log?per_page=1', { token })
  expect(log.body.data[0]).toMatchObject({ action: 'endSession', target_id: first.id })
})

test('a person ends all other sessions, also in other accounts; those of other people continue', async () => {
  const [person, stranger] = [await system.aPerson(), await system.aPerson()]
  const { email, password } = person
  await system.context.sql`
    insert into memberships (account_id, user_id, role)
    select ${stranger.accountId}, id, 'viewer' from users where email = ${email}`
  const logIn = async () =>
    (await system.rest('POST', '/auth/log-in', { body: { email, password } })).body.access_token
  const [present, other] = [await logIn(), await logIn()]
  const switched = await system.rest('POST', '/auth/switch-account', {
    token: other,
    body: { account_id: stranger.accountId },
  })
  const elsewhere = switched.body.access_token
  const statusOf = async (token: string) => (await system.rest('GET', '/me', { token })).status
  expect(await statusOf(elsewhere)).toBe(200)

  const ended = await system.rest('POST', '/auth/end-other-sessions', { token: present })
  expect([ended.status, ended.body]).toEqual([200, { ended_sessions: 3 }])
  expect(await Promise.all([present, other, elsewhere, person.token].map(statusOf))).toEqual([
    200, 401, 401, 401,
  ])
  expect(await statusOf(stranger.token)).toBe(200)
  const again = await system.rest('POST', '/auth/end-other-sessions', { token: present })
  expect(again.body).toEqual({ ended_sessions: 0 })
})
