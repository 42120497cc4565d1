import { expect, test } from 'vitest'
import { findAccount } from '../../domain/accounts/accounts.ts'
import { perFile } from '../harness/per-file.ts'
import { anAccountSystem } from './an-account-system.ts'

const system = perFile(anAccountSystem)

let addresses = 0
/** Another client address each time, so that no limit of a network is reached. */
const from = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` })

const post = (path: string, body: object, token?: string) =>
  system.rest('POST', `/auth/${path}`, { body, token, headers: from() })

async function aSession(email: string) {
  const answer = await post('sign-up', { email, password: 'correct horse' })
  expect(answer.status).toBe(201)
  return answer.body.access_token as string
}

const confirm = (token: string) => post('confirm-email', { token })
const requestAnother = (token: string) =>
  system.rest('POST', '/auth/request-email-confirmation', { token, headers: from() })
const confirmedAt = async (token: string) =>
  (await system.graph('{ viewer { user { emailConfirmedAt } } }', { token })).data.viewer.user
    .emailConfirmedAt

test('the link in the e-mail after sign-up confirms the address, once', async () => {
  const session = await aSession('Ada@Example.com')
  const [token = ''] = await system.tokensTo('ada@example.com')
  expect(await confirmedAt(session)).toBeNull()
  const confirmed = await confirm(token)
  expect([confirmed.status, confirmed.body]).toEqual([200, { email: 'ada@example.com' }])
  expect(await confirmedAt(session)).toMatch(/^\d{4}-/)
  const again = await confirm(token)
  expect([again.status, again.body.error]).toMatchObject([400, { code: 'link_refused', param: 'token' }])

  const log = await system.rest('GET', '/audit-log', { token: session })
  expect(log.body.data.map(({ action }: { action: string }) => action)).toEqual(['confirmEmail', 'signUp'])
  expect((await requestAnother(session)).status).toBe(204)
  expect(await system.tokensTo('ada@example.com')).toHaveLength(1)
})

test('a forged, changed or expired token confirms nothing', async () => {
  const session = await aSession('grace@example.com')
  const [token = ''] = await system.tokensTo('grace@example.com')
  const [id = '', mac = ''] = token.split('.')
  const reversed = `${id}.${mac.split('').reverse().join('')}`
  const forged = ['', 'x', `${id}.`, reversed, `${token}x`, '\u0000'.repeat(40)]
  for (const one of forged) expect((await confirm(one)).status).toBeGreaterThanOrEqual(400)
  await system.context.sql`
    update mailed_links set expires_at = now() - interval '1 second' where email = 'grace@example.com'`
  expect((await confirm(token)).body.error.code).toBe('link_refused')
  expect(await confirmedAt(session)).toBeNull()
})

test('an address gets at most three links in a window, and an account five confirmations a day', async () => {
  const session = await aSession('joan@example.com')
  const statuses: number[] = []
  for (let turn = 0; turn < 3; turn++) statuses.push((await requestAnother(session)).status)
  expect(statuses).toEqual([204, 204, 429])
  expect(await system.tokensTo('joan@example.com')).toHaveLength(3)
  const { redis, config } = system.context
  await redis.del(...(await redis.keys(`${config.redisPrefix}tries:*`)))
  for (let turn = 0; turn < 2; turn++) statuses.push((await requestAnother(session)).status)
  const refused = await requestAnother(session)
  const exceeded = { code: 'allowance_exceeded', param: 'confirmation_mails' }
  expect([refused.status, refused.body.error]).toMatchObject([429, exceeded])
})

test('one network has at most twenty e-mails sent in a window; sign-up works without one', async () => {
  const headers = from()
  for (let person = 0; person < 21; person++) {
    const body = { email: `stranger-${person}@example.com`, password: 'correct horse' }
    expect((await system.rest('POST', '/auth/sign-up', { body, headers })).status).toBe(201)
  }
  await system.tokensTo('')
  const mailed = system.mailbox.mails.filter(({ recipients }) => recipients[0]?.startsWith('stranger-'))
  expect(mailed).toHaveLength(20)
})

test('no word of the customer is in a confirmation', async () => {
  const body = { email: 'mary@example.com', password: 'correct horse', name: 'Win a prize at evil.example' }
  await system.rest('POST', '/auth/sign-up', { body, headers: from() })
  await system.tokensTo('mary@example.com')
  const mail = system.mailbox.mails.find(({ recipients }) => recipients.includes('mary@example.com'))
  expect(`${mail?.subject} ${mail?.text} ${mail?.html}`).not.toContain('prize')
})

test('the page that the link opens is served, and may run only its own script', async () => {
  const answer = await fetch(`${system.url}/account/confirm-email`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(answer.headers.get('content-security-policy')).toMatch(/script-src 'sha256-/)
  expect(await answer.text()).toContain('action="/api/v1/auth/confirm-email"')
})

const subjectsTo = (email: string) =>
  system.mailbox.mails.filter(({ recipients }) => recipients.includes(email)).map(({ subject }) => subject)

/** The owner of an address, who confirmed it. */
async function anOwner(email: string, password = 'of the owner') {
  const { body } = await post('sign-up', { email, password })
  const [token = ''] = await system.tokensTo(email)
  expect((await post('confirm-email', { token })).status).toBe(200)
  return { accountId: body.account.id as string }
}

/** The responses to a sign-up and a log-in with an address, without the fields that differ for every account. */
async function seenWith(email: string) {
  const password = 'of the stranger'
  const signUp = await post('sign-up', { email, password, name: 'Stranger' })
  const token = signUp.body.access_token
  const logIn = await post('log-in', { email, password })
  const wrong = await post('log-in', { email, password: 'wrong password' })
  const user = (await system.graph('{ viewer { user { emailConfirmedAt } } }', { token })).data.viewer.user
  const again = await system.rest('POST', '/auth/request-email-confirmation', { token })
  expect(logIn.body.account).toEqual(signUp.body.account)
  const [jobs] = await system.context.sql`
    select count(*)::int as links from graphile_worker._private_jobs j
    join mailed_links l on l.id::text = j.payload ->> 'linkId' join memberships m on m.user_id = l.user_id
    where m.account_id = ${signUp.body.account.id}`
  const answers = [signUp, logIn, wrong, again].map(({ status, body }) => [status, Object.keys(body ?? {})])
  return { answers, user, jobs: { ...jobs } }
}

test('sign-up and log-in are the same for an address that belongs to another account', async () => {
  await anOwner('shared-ada@example.com')
  const seen = await seenWith('shared-ada@example.com')
  expect(seen).toEqual(await seenWith('shared-unknown@example.com'))
  expect(seen.answers[0]?.[0]).toBe(201)
})

test('the owner of the address gets an e-mail, and nothing else changes', async () => {
  const email = 'shared-grace@example.com'
  const { accountId } = await anOwner(email)
  const stranger = await post('sign-up', { email: 'Shared-GRACE@Example.com', password: 'of the stranger' })
  await system.tokensTo(email)
  expect(subjectsTo(email)).toEqual(['Confirm your e-mail address', 'You already have an account'])
  expect(stranger.body.account.id).not.toBe(accountId)
  const owner = await post('log-in', { email, password: 'of the owner' })
  expect(owner.body.account.id).toBe(accountId)

  await post('request-password-reset', { email })
  const token = (await system.tokensTo(email)).at(-1)
  expect((await post('reset-password', { token, new_password: 'a new password' })).status).toBe(204)
  expect((await post('log-in', { email, password: 'a new password' })).body.account.id).toBe(accountId)
  const kept = await post('log-in', { email, password: 'of the stranger' })
  expect(kept.body.account).toEqual(stranger.body.account)
  expect(await findAccount(system.context, { emailOrId: email })).toMatchObject({ accountId })
})

test('an address belongs to the account whose link is used first; the other link is refused', async () => {
  const email = 'shared-joan@example.com'
  const people = []
  for (const password of ['of the first', 'of the second'])
    people.push((await post('sign-up', { email, password })).body)
  const [first = '', second = ''] = await system.tokensTo(email)
  await expect(findAccount(system.context, { emailOrId: email })).rejects.toThrow(/none has confirmed it/)
  const confirmed = await Promise.all([first, second].map(token => post('confirm-email', { token })))
  expect(confirmed.map(({ status }) => status).toSorted()).toEqual([200, 400])
  const place = confirmed.findIndex(({ status }) => status === 200)
  const { accountId } = await findAccount(system.context, { emailOrId: email })
  expect(accountId).toBe(people[place].account.id)

  // Another link of the other account, from before its address belonged to someone else.
  await system.context.sql`update mailed_links set used_at = null where email = ${email}`
  const other = await post('confirm-email', { token: [second, first][place] ?? '' })
  expect([other.status, other.body.error.code]).toEqual([400, 'link_refused'])
})
