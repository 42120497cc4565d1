import { expect, test } from 'vitest'
import { theControlPlane } from '../harness/a-control-plane.ts'
import { joinAccount } from '../harness/an-account.ts'

const { control, person } = theControlPlane()

const rename = (path: '/me' | '/auth/user', name: string, token = person.token) =>
  control.rest('PUT', path, { token, body: { name } })
const outcomeOf = ({
  status,
  body,
}: {
  status: number
  body: { error?: { code: string; param?: string } }
}) => [status, body.error?.code, body.error?.param]

test('an owner renames the account, which its members and the audit log then show', async () => {
  const { body, status } = await rename('/me', '  Acme & Söhne  ')
  expect([status, body.name]).toEqual([200, 'Acme & Söhne'])
  const member = await joinAccount(control, { accountId: person.accountId, role: 'admin' })
  expect((await control.rest('GET', '/me', { token: member })).body.name).toBe('Acme & Söhne')
  const log = await control.rest('GET', '/audit-log', { token: member })
  expect(log.body.data.find(({ action }: { action: string }) => action === 'updateAccount')).toMatchObject({
    target_type: 'Account',
    target_id: person.accountId,
    fields: ['name'],
    outcome: 'done',
  })
})

test('only owners rename the account', async () => {
  const token = await joinAccount(control, { accountId: person.accountId, role: 'admin' })
  expect(outcomeOf(await rename('/me', 'Mine', token))).toEqual([403, 'forbidden', null])
})

test('a person renames themselves, and other members see the name', async () => {
  const token = await joinAccount(control, { accountId: person.accountId, role: 'viewer' })
  const renamed = await rename('/auth/user', 'Ada Lovelace', token)
  expect(renamed.body).toMatchObject({ name: 'Ada Lovelace', role: 'viewer' })
  expect((await control.rest('GET', '/auth/user', { token })).body).toEqual(renamed.body)
  const { body } = await control.rest('GET', '/members', { token: person.token })
  const names = new Map(body.data.map(({ id, name }: { id: string; name: string }) => [id, name]))
  expect(names.get(renamed.body.id)).toBe('Ada Lovelace')
  expect([...names.values()].filter(name => name === 'Ada Lovelace')).toHaveLength(1)
})

test('a blank name and a name of more than 200 characters are refused and change nothing', async () => {
  await rename('/me', 'Acme')
  for (const path of ['/me', '/auth/user'] as const)
    for (const name of ['', ' \u200b ', 'x'.repeat(201)])
      expect(outcomeOf(await rename(path, name))).toEqual([422, 'validation_failed', 'name'])
  expect((await control.rest('GET', '/me', { token: person.token })).body.name).toBe('Acme')
})
