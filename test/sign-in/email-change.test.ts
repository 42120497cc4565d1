import { expect, test } from 'vitest'
import { perFile } from '../harness/per-file.ts'
import { aSignInSystem, baseUrl, codeOf, type SignedUp } from './a-sign-in-system.ts'

const system = perFile(() => aSignInSystem())

const outcomeOf = ({ status, body }: { status: number; body?: { error?: { code: string } } }) =>
  status < 300 ? 'ok' : `${status} ${body?.error?.code}`

/** Requests a change, and returns the token in the e-mail. */
async function aChange(person: Pick<SignedUp, 'token'>, email: string): Promise<string> {
  expect((await system.post('request-email-change', { email }, person)).status).toBe(204)
  return (await system.tokensTo(email)).at(-1) ?? ''
}

const change = (person: { token?: string }, token: string) => system.post('change-email', { token }, person)
const emailOf = async (person: Pick<SignedUp, 'token'>) =>
  (await system.rest('GET', '/auth/user', { token: person.token })).body.email

/** Signs up another person with an address, who has not confirmed it. Returns the session and the link. */
async function aSquatter(email: string) {
  const { body } = await system.post('sign-up', { email, password: 'of the squatter' })
  return { token: String(body.access_token), link: (await system.tokensTo(email)).at(-1) ?? '' }
}

test('with the link, the address changes, and what belongs to the previous one ends', async () => {
  const [person, host] = [await system.aConfirmedPerson(), await system.aConfirmedPerson()]
  const { sql } = system.context
  await sql`insert into memberships ${sql({ account_id: host.accountId, user_id: person.userId, role: 'viewer' })}`
  const { secret } = await system.addApp(person)
  await system.subjectsTo(person.email)
  const challenged = async () => (await system.logIn(person)).body.challenge.token as string
  const other = await system.post('complete-log-in', {
    challenge_token: await challenged(),
    code: codeOf(secret),
  })
  await system.nextStep(person)
  const pending = await challenged()
  await system.post('request-password-reset', { email: person.email })
  const reset = (await system.tokensTo(person.email)).at(-1)

  const link = await aChange(person, 'new@example.org')
  expect(await emailOf(person)).toBe(person.email)
  const changed = await change(person, link)
  expect([changed.status, changed.body]).toMatchObject([
    200,
    { user: { email: 'new@example.org', email_confirmed_at: expect.any(String) }, ended_sessions: 1 },
  ])
  expect(outcomeOf(await change(person, link))).toBe('400 link_refused')
  expect(outcomeOf(await system.rest('GET', '/me', { token: other.body.access_token }))).toBe(
    '401 token_expired',
  )
  const completed = await system.post('complete-log-in', { challenge_token: pending, code: codeOf(secret) })
  expect(outcomeOf(completed)).toBe('400 challenge_refused')
  const resetting = await system.post('reset-password', { token: reset, new_password: 'of the stranger' })
  expect(outcomeOf(resetting)).toBe('400 link_refused')
  expect(outcomeOf(await system.logIn(person))).toBe('401 wrong_credentials')
  expect((await system.logIn({ ...person, email: 'new@example.org' })).body.challenge).toBeDefined()

  expect(await system.subjectsTo(person.email)).toContain('Your e-mail address was changed')
  expect(await system.subjectsTo('new@example.org')).toEqual(['Confirm your new e-mail address'])
  const entries = await sql`
    select account_id, actor_id, actor_email, state from audit_log where action = 'changeEmail' order by account_id`
  expect([...entries]).toEqual(
    [person.accountId, host.accountId].sort().map(account_id => ({
      account_id,
      actor_id: person.userId,
      actor_email: person.email,
      state: 'done',
    })),
  )
})

test('the link works for its user only, with a session, and stays valid for its user', async () => {
  const [person, stranger] = [await system.aConfirmedPerson(), await system.aConfirmedPerson()]
  const link = await aChange(person, 'bound@example.org')
  expect(outcomeOf(await change(stranger, link))).toBe('403 wrong_user')
  expect(outcomeOf(await change({}, link))).toBe('401 unauthenticated')
  expect(outcomeOf(await change(person, `${link}x`))).toBe('400 link_refused')
  const confirming = await system.post('confirm-email', { token: link })
  expect(outcomeOf(confirming), 'as a link of another purpose').toBe('400 link_refused')
  expect([await emailOf(person), await emailOf(stranger)]).toEqual([person.email, stranger.email])
  await system.context.sql`update mailed_links set expires_at = now() where email = 'bound@example.org'`
  expect(outcomeOf(await change(person, link))).toBe('400 link_refused')
  expect(outcomeOf(await change(person, await aChange(person, 'bound@example.org')))).toBe('ok')
})

test('a cookie, an old confirmation and the present address request no change', async () => {
  const person = await system.aConfirmedPerson()
  const { email, password } = person
  const logIn = await system.rest('POST', '/auth/log-in', {
    body: { email, password },
    headers: { 'x-session-cookie': '1', origin: baseUrl },
  })
  const [cookie = ''] = logIn.headers.getSetCookie()
  const forged = await system.rest('POST', '/auth/request-email-change', {
    body: { email: 'evil@example.org' },
    headers: { cookie: cookie.split(';')[0] ?? '', origin: 'https://evil.example' },
  })
  expect(outcomeOf(forged)).toBe('401 unauthenticated')
  const same = await system.post('request-email-change', { email: email.toUpperCase() }, person)
  expect([same.status, same.body.error]).toMatchObject([422, { code: 'validation_failed', param: 'email' }])
  await system.makeUnconfirmed(person)
  const stale = await system.post('request-email-change', { email: 'evil@example.org' }, person)
  expect(outcomeOf(stale)).toBe('403 confirmation_required')
  expect(await system.tokensTo('evil@example.org')).toEqual([])
})

test("another user's address is answered like a free one; its owner gets an e-mail and no link", async () => {
  const [person, owner] = [await system.aConfirmedPerson(), await system.aConfirmedPerson()]
  const answers = [owner.email, 'free@example.org'].map(email =>
    system.post('request-email-change', { email }, person),
  )
  expect((await Promise.all(answers)).map(({ status, body }) => [status, body])).toEqual(
    Array(2).fill([204, undefined]),
  )
  await system.tokensTo('')
  const mails = system.mailbox.mails.filter(({ recipients }) => recipients.includes(owner.email))
  expect(mails.at(-1)).toMatchObject({ subject: 'You already have an account' })
  expect(mails.at(-1)?.text).not.toContain('#')
})

test('an address that another person confirms meanwhile is not taken over', async () => {
  const person = await system.aConfirmedPerson()
  const link = await aChange(person, 'meanwhile@example.org')
  const other = await aSquatter('meanwhile@example.org')
  expect((await system.post('confirm-email', { token: other.link })).status).toBe(200)
  expect(outcomeOf(await change(person, link))).toBe('400 link_refused')
  expect([await emailOf(person), await emailOf(other)]).toEqual([person.email, 'meanwhile@example.org'])
})

test('a person who signed up with the address before gets nothing of the user who changes to it', async () => {
  const person = await system.aConfirmedPerson()
  const squatter = await aSquatter('squatted@example.org')
  expect(outcomeOf(await change(person, await aChange(person, 'squatted@example.org')))).toBe('ok')
  expect(outcomeOf(await system.post('confirm-email', { token: squatter.link }))).toBe('400 link_refused')
  const logIn = await system.post('log-in', { email: 'squatted@example.org', password: 'of the squatter' })
  expect(logIn.body.account.id).not.toBe(person.accountId)
  await system.post('request-password-reset', { email: 'squatted@example.org' })
  const token = (await system.tokensTo('squatted@example.org')).at(-1)
  await system.post('reset-password', { token, new_password: 'a new password' })
  const owner = await system.post('log-in', { email: 'squatted@example.org', password: 'a new password' })
  expect(owner.body.account.id).toBe(person.accountId)
})

test('of two users who change to one address at the same time, one gets it', async () => {
  const people = [await system.aConfirmedPerson(), await system.aConfirmedPerson()]
  const links: string[] = []
  for (const person of people) links.push(await aChange(person, 'both@example.org'))
  const changed = await Promise.all(people.map((person, index) => change(person, links[index] ?? '')))
  expect(changed.map(outcomeOf).toSorted()).toEqual(['400 link_refused', 'ok'])
  const [owned] = await system.context.sql`select count(*)::int from users where email = 'both@example.org'`
  expect(owned).toEqual({ count: 1 })
})

test('a mistyped address that is not confirmed can be changed: it gets no notice, and its link confirms nothing', async () => {
  const typo = await aSquatter('ada@exmaple.org')
  const link = await aChange(typo, 'ada@example.org')
  expect(outcomeOf(await change(typo, link))).toBe('ok')
  expect(outcomeOf(await system.post('confirm-email', { token: typo.link }))).toBe('400 link_refused')
  expect(await system.subjectsTo('ada@exmaple.org')).toEqual(['Confirm your e-mail address'])
})
