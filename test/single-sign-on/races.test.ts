import { afterAll, beforeAll, expect, test } from 'vitest'
import { unlinkIdentity } from '../../domain/single-sign-on/identities.ts'
import { whileHeld } from '../harness/postgres/while-held.ts'
import { aCompany, type Company } from '../harness/single-sign-on/a-company.ts'

let company: Company
beforeAll(async () => {
  company = await aCompany()
})
afterAll(() => company.close())

const statusOfMe = async (token: string) => (await company.control.rest('GET', '/me', { token })).status

/** A person with a password who has linked an identity, and a sign-in of it whose code is not exchanged yet. */
async function aLinkedPerson(sub: string) {
  const { control, open } = company
  const person = await control.aPerson()
  open.person = { sub, email: person.email, email_verified: true }
  const { code, codeVerifier } = await company.browser().signIn('open')
  const body = { code, code_verifier: codeVerifier }
  const linked = await control.rest('POST', '/auth/sso/identities', { token: person.token, body })
  const [user] = await control.context.sql<{ id: string }[]>`
    select id from users where email = ${person.email}`
  const signedIn = await company.browser().signIn('open')
  return {
    ...person,
    userId: user!.id,
    identityId: linked.body.id,
    exchange: () => company.exchange(signedIn),
  }
}

test('a change of the password that waits for a sign-in ends its session', async () => {
  const { email, password, token, exchange } = await aLinkedPerson('racer-1')
  const change = () =>
    company.control.rest('POST', '/auth/change-password', {
      token,
      body: { current_password: password, new_password: 'a new password' },
    })
  const [session, changed] = await whileHeld(company.control.context.sql, email, [exchange, change])
  expect([session?.status, changed?.status]).toEqual([200, 200])
  expect(await statusOfMe(session?.body.access_token)).toBe(401)
})

test('a sign-in with an identity that is being removed begins no session', async () => {
  const { context } = company.control
  const one = await aLinkedPerson('racer-2')
  const unlink = ({ userId, identityId: id }: typeof one) => unlinkIdentity(context, { userId, id })
  const [, refused] = await whileHeld<unknown>(context.sql, one.email, [() => unlink(one), one.exchange])
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'sign_in_expired' } } })

  const other = await aLinkedPerson('racer-3')
  const [session] = await whileHeld<Awaited<ReturnType<typeof other.exchange>> | undefined>(
    context.sql,
    other.email,
    [other.exchange, async () => void (await unlink(other))],
  )
  expect(session?.status).toBe(200)
  expect(await statusOfMe(session?.body.access_token)).toBe(401)
})

test('a member who is removed while a sign-in ends has no session', async () => {
  const { control, acme } = company
  const owner = await anOwnerOfAcme()
  for (let turn = 0; turn < 3; turn++) {
    const email = `removed-${turn}@acme.example`
    acme.person = { sub: email, email, email_verified: true, groups: ['platform'] }
    expect((await company.signIn('acme')).status).toBe(200)
    const [user] = await control.context.sql`select id from users where email = ${email}`
    const signedIn = await company.browser().signIn('acme')
    const [session, removed] = await Promise.all([
      company.exchange(signedIn),
      control.rest('DELETE', `/members/${user?.id}`, { token: owner }),
    ])
    expect(removed.status).toBeLessThan(300)
    if (session.status === 200) expect(await statusOfMe(session.body.access_token)).toBe(401)
    else expect(session.body.error.code).toBe('sign_in_refused')
  }
})

/** Returns the session of an owner of the company's account. */
async function anOwnerOfAcme(): Promise<string> {
  const { sql } = company.control.context
  company.acme.person = {
    sub: 'boss',
    email: 'boss@acme.example',
    email_verified: true,
    groups: ['platform'],
  }
  const { body } = await company.signIn('acme')
  await sql`
    update memberships m set role = 'owner' from users u where u.id = m.user_id and u.email = 'boss@acme.example'`
  return body.access_token
}
