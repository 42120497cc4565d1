import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { hashPassword } from '../../domain/accounts/passwords.ts'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'

test('e-mails are normalised; of two that become one, each keeps its own, and both people log in', async () => {
  const control = await aControlPlane()
  onTestFinished(() => control.close())
  const { sql, ids } = control.context
  const [account] = await sql`insert into accounts (id, name) values (${ids.uuid()}, 'x') returning id`
  const add = async (email: string) => {
    const passwordHash = await hashPassword(`password of ${email}`)
    const [user] = await sql`
      insert into users (id, account_id, email, name, password_hash)
      values (${ids.uuid()}, ${account!.id}, ${email}, 'x', ${passwordHash}) returning id`
    return user!.id
  }
  const emails = ['ﬁona@example.com', 'plain@example.com', 'ｐlain@example.com', 'alone@example.com']
  const added = new Map<string, string>()
  for (const email of emails) added.set(email, await add(email))

  const file = new URL('0016-normalised-emails.sql', import.meta.url)
  for (let times = 0; times < 2; times++) await sql.unsafe(await readFile(file, 'utf8'))

  const kept = new Map((await sql`select id, email from users`).map(({ id, email }) => [id, email]))
  expect(emails.map(email => kept.get(added.get(email)))).toEqual([
    'fiona@example.com',
    'plain@example.com',
    'ｐlain@example.com',
    'alone@example.com',
  ])
  for (const email of emails) {
    const body = { email, password: `password of ${email}` }
    expect((await control.rest('POST', '/auth/log-in', { body })).status, email).toBe(200)
  }
})
