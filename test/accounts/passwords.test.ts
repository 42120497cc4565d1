import { expect, test } from 'vitest'
import { perFile } from '../harness/per-file.ts'
import { whileHeld } from '../harness/postgres/while-held.ts'
import { anAccountSystem } from './an-account-system.ts'

const system = perFile(() => anAccountSystem({ LOGIN_TRIES: '5' }))

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
  expect([changed.status, changed.body]).toEqual([200, { ended_sessions: 1, revoked_api_keys: 0 }])
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
  expect(system.mailbox.mails.at(-1)?.text).toMatch(/API keys stay valid unless .*"revoke_api_keys": true/s)
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
  expect((await ask('unknown@example.com')).status).toBe(429) // as for a known address
})

test('a reset of an unconfirmed address confirms it for the latest person who signed up, and ends all sessions', async () => {
  const email = 'lise@example.com'
  await post('sign-up', { email, password: 'of the first' })
  const latest = await post('sign-up', { email, password: 'of the latest' })
  await post('request-password-reset', { email })
  const token = await lastToken(email)
  expect((await post('confirm-email', { token })).status).toBe(400)
  expect((await post('reset-password', { token, new_password: 'of the owner' })).status).toBe(204)
  expect(await statusOfMe(latest.body.access_token)).toBe(401)
  expect((await logIn(email, 'of the latest')).status).toBe(401)
  const owner = await logIn(email, 'of the owner')
  expect(owner.body.account.id).toBe(latest.body.account.id)
  const user = await system.graph('{ viewer { user { emailConfirmedAt } } }', {
    token: owner.body.access_token,
  })
  expect(user.data.viewer.user.emailConfirmedAt).toMatch(/^\d{4}-/)
})

test('a reset that names an unconfirmed person belongs to the person who confirms the address first', async () => {
  const email = 'chien@example.com'
  const first = await post('sign-up', { email, password: 'of the first' })
  const confirmation = await lastToken(email)
  await post('sign-up', { email, password: 'of the latest' })
  await post('request-password-reset', { email })
  const token = await lastToken(email)
  expect((await post('confirm-email', { token: confirmation })).status).toBe(200)
  expect((await post('reset-password', { token, new_password: 'of the owner' })).status).toBe(204)
  expect((await logIn(email, 'of the owner')).body.account.id).toBe(first.body.account.id)
})

test('a person whom single sign-on made a member gets no password by e-mail; others without one do', async () => {
  const { sql, ids } = system.context
  const { session } = await aPerson('marie@example.com')
  const accountId = (await system.rest('GET', '/me', { token: session })).body.id
  for (const [email, isConfirmed, isManaged] of [
    ['managed@example.com', true, true],
    ['linked@example.com', false, true],
    ['free@example.com', true, false],
    ['unconfirmed@example.com', false, false],
  ] as const) {
    const id = ids.uuid()
    await sql`
      insert into users (id, email, name, email_confirmed_at)
      values (${id}, ${email}, '', ${isConfirmed ? new Date() : null})`
    if (isManaged) await sql`insert into identity_joins (user_id, account_id) values (${id}, ${accountId})`
    await post('request-password-reset', { email })
    const token = await lastToken(email)
    const reset = await post('reset-password', { token, new_password: 'of the owner' })
    expect([email, reset.status]).toEqual([email, isManaged ? 400 : 204])
  }
  expect(
    system.mailbox.mails.find(({ recipients }) => recipients[0] === 'managed@example.com'),
  ).toMatchObject({
    subject: 'You sign in with single sign-on',
  })
})

test('a log-in with the old password that races with its change leaves no session', async () => {
  const { email, password, session } = await aPerson('hedy@example.com')
  const change = (current_password: string, new_password: string) => () =>
    post('change-password', { current_password, new_password }, session)
  const old = () => logIn(email, password)
  const [changed, late] = await whileHeld(system.context.sql, email, [
    change(password, 'second password'),
    old,
  ])
  expect([changed?.status, late?.status]).toEqual([200, 401])

  const early = () => logIn(email, 'second password')
  const [begun, ended] = await whileHeld(system.context.sql, email, [
    early,
    change('second password', 'third password'),
  ])
  expect([begun?.status, ended?.status]).toEqual([200, 200])
  expect(await statusOfMe(begun?.body.access_token)).toBe(401)
})

test('a change with the old password that races with a reset does not undo it', async () => {
  const { email, password, session } = await aPerson('rosalind@example.com')
  await post('request-password-reset', { email })
  const token = await lastToken(email)
  const [reset, change] = await whileHeld(system.context.sql, email, [
    () => post('reset-password', { token, new_password: 'password of owner' }),
    () => post('change-password', { current_password: password, new_password: 'password of thief' }, session),
  ])
  expect([reset?.status, change?.status]).toEqual([204, 403])
  expect((await logIn(email, 'password of owner')).status).toBe(200)
})

test('a change and a reset revoke all API keys of the account if the request says so', async () => {
  const { email, password, session } = await aPerson('barbara@example.com')
  const createKey = async (token: string, is_provisioning: boolean) => {
    const key = await system.rest('POST', '/api-keys', { token, body: { name: 'a key', is_provisioning } })
    return key.body.key as string
  }
  const works = async (key: string) => (await system.rest('GET', '/billing/balance', { token: key })).status
  const keys = [await createKey(session, false), await createKey(session, true)]
  const passwords = { current_password: password, new_password: 'a new password' }
  await post('change-password', passwords, session)
  expect(await Promise.all(keys.map(works))).toEqual([200, 200])
  // Nobody can have copied the key of the playground.
  await system.rest('POST', '/api-keys/playground', { token: session, body: {} })
  const again = { current_password: 'a new password', new_password: password, revoke_api_keys: true }
  const changed = await post('change-password', again, session)
  expect(changed.body).toEqual({ ended_sessions: 0, revoked_api_keys: 2 })
  expect(await Promise.all(keys.map(works))).toEqual([401, 401])
  expect((await system.rest('GET', '/api-keys', { token: session })).body).toMatchObject([
    { name: 'Playground' },
  ])

  const other = await aPerson('ida@example.com')
  const [mine, theirs] = [await createKey(session, false), await createKey(other.session, false)]
  await post('request-password-reset', { email })
  const reset = { token: await lastToken(email), new_password: 'a new password', revoke_api_keys: true }
  expect((await post('reset-password', reset)).status).toBe(204)
  expect([await works(mine), await works(theirs)]).toEqual([401, 200])
})
