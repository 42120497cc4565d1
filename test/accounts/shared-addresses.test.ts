import { expect, test } from 'vitest'
import { findAccount } from '../../domain/accounts/accounts.ts'
import { perFile } from '../harness/per-file.ts'
import { anAccountSystem } from './an-account-system.ts'

const system = perFile(anAccountSystem)

let addresses = 0
const post = (path: string, body: object, token?: string) =>
  system.rest('POST', `/auth/${path}`, {
    body,
    token,
    headers: { 'x-forwarded-for': `203.0.113.${++addresses}` },
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
    join mailed_links l on l.id::text = j.payload ->> 'linkId' join users u on u.id = l.user_id
    where u.account_id = ${signUp.body.account.id}`
  const answers = [signUp, logIn, wrong, again].map(({ status, body }) => [status, Object.keys(body ?? {})])
  return { answers, user, jobs: { ...jobs } }
}

test('sign-up and log-in are the same for an address that belongs to another account', async () => {
  await anOwner('ada@example.com')
  const seen = await seenWith('ada@example.com')
  expect(seen).toEqual(await seenWith('unknown@example.com'))
  expect(seen.answers[0]?.[0]).toBe(201)
})

test('the owner of the address gets an e-mail, and nothing else changes', async () => {
  const email = 'grace@example.com'
  const { accountId } = await anOwner(email)
  const stranger = await post('sign-up', { email: 'GRACE@Example.com', password: 'of the stranger' })
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
  expect(await findAccount(system.context, { email })).toMatchObject({ accountId })
})

test('an address belongs to the account whose link is used first; the other link is refused', async () => {
  const email = 'joan@example.com'
  const people = []
  for (const password of ['of the first', 'of the second'])
    people.push((await post('sign-up', { email, password })).body)
  const [first = '', second = ''] = await system.tokensTo(email)
  await expect(findAccount(system.context, { email })).rejects.toThrow(/none has confirmed it/)
  const confirmed = await Promise.all([first, second].map(token => post('confirm-email', { token })))
  expect(confirmed.map(({ status }) => status).toSorted()).toEqual([200, 400])
  const place = confirmed.findIndex(({ status }) => status === 200)
  const { accountId } = await findAccount(system.context, { email })
  expect(accountId).toBe(people[place].account.id)

  // Another link of the other account, from before its address belonged to someone else.
  await system.context.sql`update mailed_links set used_at = null where email = ${email}`
  const other = await post('confirm-email', { token: [second, first][place] ?? '' })
  expect([other.status, other.body.error.code]).toEqual([400, 'link_refused'])
})
