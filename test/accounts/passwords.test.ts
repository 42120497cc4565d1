import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AccountSystem, anAccountSystem } from './an-account-system.ts'

let system: AccountSystem

beforeAll(async () => {
  system = await anAccountSystem({ LOGIN_TRIES: '5' })
})
afterAll(() => system.close())

let addresses = 0
const from = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` })

const post = (path: string, body: object, token?: string, headers = from()) =>
  system.rest('POST', `/auth/${path}`, { body, token, headers })
const logIn = (email: string, password: string) => post('log-in', { email, password })
const statusOfMe = async (token: string) => (await system.rest('GET', '/me', { token })).status

/** A person with a confirmed address, and two sessions. */
async function aPerson(email: string, password = 'correct horse') {
  const { body } = await post('sign-up', { email, password })
  const [token = ''] = await system.tokensTo(email)
  expect((await post('confirm-email', { token })).status).toBe(200)
  const other = await logIn(email, password)
  return { email, password, session: body.access_token as string, other: other.body.access_token as string }
}

const lastToken = async (email: string) => (await system.tokensTo(email)).at(-1) ?? ''

test('a changed password is the only one from then on, and ends the other sessions', async () => {
  const { email, password, session, other } = await aPerson('ada@example.com')
  const change = (current: string, next: string) =>
    post('change-password', { current_password: current, new_password: next }, session)
  expect((await change('not this one', 'a new password')).body.error.code).toBe('wrong_password')
  expect((await change(password, 'short')).body.error).toMatchObject({ param: 'new_password' })
  const changed = await change(password, 'a new password')
  expect([changed.status, changed.body]).toEqual([200, { ended_sessions: 1 }])
  expect([await statusOfMe(session), await statusOfMe(other)]).toEqual([200, 401])
  expect((await logIn(email, password)).status).toBe(401)
  expect((await logIn(email, 'a new password')).status).toBe(200)
})

test('guesses of the current password are limited as log-ins are', async () => {
  const { password, session } = await aPerson('grace@example.com')
  const address = from()
  const guess = (current: string) =>
    post('change-password', { current_password: current, new_password: 'a new password' }, session, address)
  for (let turn = 0; turn < 5; turn++) expect((await guess('wrong')).status).toBe(403)
  expect((await guess(password)).body.error.code).toBe('too_many_tries')
})

test('a reset by e-mail sets the password once, and ends all sessions', async () => {
  const { email, session, other } = await aPerson('joan@example.com')
  expect((await post('request-password-reset', { email: 'Joan@Example.com' })).status).toBe(204)
  const token = await lastToken(email)
  const reset = (new_password: string) => post('reset-password', { token, new_password })
  expect((await reset('short')).status).toBe(422)
  const statuses = await Promise.all(['first new one', 'second new one'].map(reset))
  expect(statuses.map(({ status }) => status).sort()).toEqual([204, 400])
  expect([await statusOfMe(session), await statusOfMe(other)]).toEqual([401, 401])
  const tries = await Promise.all(['first new one', 'second new one'].map(password => logIn(email, password)))
  expect(tries.map(({ status }) => status).sort()).toEqual([200, 401])
  const { body } = tries.find(({ status }) => status === 200)!
  const log = await system.rest('GET', '/audit-log', { token: body.access_token })
  expect(log.body.data[1]).toMatchObject({ action: 'resetPassword', outcome: 'done' })
})

test('a link ends after thirty minutes, with the other links of the address, and for another purpose', async () => {
  const { email } = await aPerson('mary@example.com')
  const { sql } = system.context
  const request = () => post('request-password-reset', { email })
  const reset = (token: string) => post('reset-password', { token, new_password: 'a new password' })
  await request()
  const first = await lastToken(email)
  await request()
  const second = await lastToken(email)
  const [row] = await sql`
    select extract(epoch from expires_at - created_at)::int as seconds from mailed_links
    where id = ${first.slice(0, 36)}`
  expect(row?.seconds).toBe(1800)
  expect((await post('confirm-email', { token: first })).status).toBe(400)
  expect((await reset(second)).status).toBe(204)
  expect((await reset(first)).status).toBe(400)
  await sql`
    insert into mailed_links (id, purpose, email, created_at, expires_at)
    select gen_random_uuid(), purpose, email, now(), now() - interval '1 second' from mailed_links where email = ${email}`
  expect((await reset(first)).status).toBe(400)
})

test('neither answer nor statements differ for an address that no person has', async () => {
  const { email } = await aPerson('emmy@example.com')
  const { sql } = system.context
  const ask = async (address: string) => {
    const { status, body } = await post('request-password-reset', { email: address })
    const [work] = await sql`
      select (select count(*)::int from mailed_links where email = ${address} and purpose = 'reset_password') as links,
        (select count(*)::int from graphile_worker._private_jobs j join mailed_links l
          on l.id::text = j.payload ->> 'linkId' where l.email = ${address} and l.purpose = 'reset_password') as jobs`
    return { status, body, work: { ...work } }
  }
  expect(await ask('unknown@example.com')).toEqual(await ask(email))
  expect(await system.tokensTo('unknown@example.com')).toEqual([])
  for (let turn = 0; turn < 2; turn++) await ask('unknown@example.com')
  expect((await ask('unknown@example.com')).status).toBe(429) // as it is for a known one
})

test('an address that is not confirmed gets a confirmation in place of a reset', async () => {
  const email = 'lise@example.com'
  await post('sign-up', { email, password: 'correct horse' })
  await post('request-password-reset', { email })
  const tokens = await system.tokensTo(email)
  const subjects = system.mailbox.mails
    .filter(({ recipients }) => recipients.includes(email))
    .map(({ subject }) => subject)
  expect(subjects).toEqual(['Confirm your e-mail address', 'Confirm your e-mail address'])
  expect((await post('reset-password', { token: tokens[1], new_password: 'a new password' })).status).toBe(
    400,
  )
  expect((await post('confirm-email', { token: tokens[1] })).status).toBe(200)
})
