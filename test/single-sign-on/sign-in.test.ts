import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkToken } from '../../domain/accounts/mailed-links.ts'
import { aCompany, acmeAccountId, type Company } from '../harness/single-sign-on/a-company.ts'
import { serviceOrigin } from '../harness/single-sign-on/service-origin.ts'

let company: Company
beforeAll(async () => {
  company = await aCompany()
})
afterAll(() => company.close())

const memberOf = async (email: string) => {
  const [member] = await company.control.context.sql<
    { accountId: string; role: string; isConfirmed: boolean }[]
  >`
    select m.account_id as "accountId", m.role, u.email_confirmed_at is not null as "isConfirmed"
    from users u join memberships m on m.user_id = u.id where u.email = ${email}`
  return member
}
const me = (token: string) => company.control.rest('GET', '/me', { token })

let people = 0
const aColleague = (more: object = {}) => {
  people += 1
  const sub = `person-${people}`
  return {
    sub,
    email: `${sub}@acme.example`,
    email_verified: true,
    name: 'Ada',
    groups: ['engineering'],
    ...more,
  }
}

test('a person of a mapped domain becomes a member with the role of the claim, and the role follows it', async () => {
  const person = aColleague()
  company.acme.person = person
  const first = await company.signIn('acme')
  expect(first.body).toMatchObject({ account: { id: acmeAccountId, name: 'Acme' } })
  expect(await memberOf(person.email)).toEqual({
    accountId: acmeAccountId,
    role: 'developer',
    isConfirmed: true,
  })
  const token = first.body.access_token
  expect((await me(token)).body.id).toBe(acmeAccountId)

  company.acme.person = { ...person, groups: ['platform', 'engineering'] }
  expect((await company.signIn('acme')).status).toBe(200)
  expect(await memberOf(person.email)).toMatchObject({ role: 'admin' })

  company.acme.person = { ...person, groups: ['sales'] }
  const refused = await company.signIn('acme')
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'sign_in_refused' } } })
  expect((await me(token)).status).toBe(401) // the sessions that the identity began have ended
})

test('the audit log names the person', async () => {
  const person = aColleague({ groups: ['platform'] })
  company.acme.person = person
  const { body } = await company.signIn('acme')
  const log = await company.control.graph('{ auditEntries(first: 1) { nodes { action user { email } } } }', {
    token: body.access_token,
  })
  expect(log.data.auditEntries.nodes).toEqual([{ action: 'completeSignIn', user: { email: person.email } }])
})

test('a session ends after its limit even if it is refreshed', async () => {
  company.acme.person = aColleague()
  const { body } = await company.signIn('acme')
  const { sql } = company.control.context
  const [row] =
    await sql`select max(expires_at) - max(began_at) < interval '24 hours 1 minute' as "isShort" from refresh_tokens`
  expect(row?.isShort).toBe(true)
  const refreshed = await company.control.rest('POST', '/auth/refresh', {
    body: { refresh_token: body.refresh_token },
  })
  expect(refreshed.status).toBe(200)
  const [again] =
    await sql`select bool_and(expires_at = ends_at) as "isKept" from refresh_tokens where ends_at is not null`
  expect(again?.isKept).toBe(true)
})

test('a person without an account opens one at an issuer for everyone, and the address stays unconfirmed', async () => {
  company.open.person = { sub: 'zoe', email: 'zoe@elsewhere.example', email_verified: true }
  const { status, body } = await company.signIn('open')
  expect(status).toBe(200)
  expect(await memberOf('zoe@elsewhere.example')).toMatchObject({ role: 'owner', isConfirmed: false })
  expect((await company.signIn('open')).body.account.id).toBe(body.account.id)
})

test('an issuer for its own domains opens no account', async () => {
  company.acme.person = {
    sub: 'guest',
    email: 'guest@elsewhere.example',
    email_verified: true,
    groups: ['platform'],
  }
  expect(await company.signIn('acme')).toMatchObject({
    status: 403,
    body: { error: { code: 'sign_in_refused' } },
  })
})

test('a removed member is not added again', async () => {
  const person = aColleague()
  company.acme.person = person
  await company.signIn('acme')
  const { sql } = company.control.context
  await sql`delete from memberships m using users u where u.id = m.user_id and u.email = ${person.email}`
  expect(await company.signIn('acme')).toMatchObject({
    status: 403,
    body: { error: { code: 'sign_in_refused' } },
  })
  expect(await memberOf(person.email)).toBeUndefined()
})

test('the role of an owner stays if the issuer makes no owners', async () => {
  const person = aColleague()
  company.acme.person = person
  await company.signIn('acme')
  const { sql } = company.control.context
  await sql`update memberships m set role = 'owner' from users u where u.id = m.user_id and u.email = ${person.email}`
  await company.signIn('acme')
  expect(await memberOf(person.email)).toMatchObject({ role: 'owner' })
})

test('a user links an identity, signs in with it, and removes it', async () => {
  const { control } = company
  const user = await control.aPerson()
  company.open.person = { sub: 'linked', email: user.email, email_verified: true }
  const signedIn = await company.browser().signIn('open')
  const body = { code: signedIn.code, code_verifier: signedIn.codeVerifier }
  const linked = await control.rest('POST', '/auth/sso/identities', { token: user.token, body })
  expect(linked).toMatchObject({ status: 201, body: { issuer: { name: 'open' }, email: user.email } })
  const session = await company.signIn('open')
  expect(session.body.account.id).toBe(user.accountId)

  const other = await control.aPerson()
  const again = await company.browser().signIn('open')
  const taken = await control.rest('POST', '/auth/sso/identities', {
    token: other.token,
    body: { code: again.code, code_verifier: again.codeVerifier },
  })
  expect(taken).toMatchObject({ status: 409, body: { error: { code: 'identity_taken' } } })

  const { id } = linked.body
  expect((await control.rest('DELETE', `/auth/sso/identities/${id}`, { token: other.token })).status).toBe(
    404,
  )
  expect((await control.rest('DELETE', `/auth/sso/identities/${id}`, { token: user.token })).status).toBe(204)
  expect((await me(session.body.access_token)).status).toBe(401)
  expect((await control.rest('GET', '/auth/sso/identities', { token: user.token })).body).toEqual([])
})

test('a session of a company cannot enter other accounts of the person, or change how the person signs in', async () => {
  const { control } = company
  const { sql } = control.context
  const colleague = aColleague()
  const [user, owner] = [await control.aPerson(), await control.aPerson()]
  await sql`update users set email = ${colleague.email}, email_confirmed_at = now() where email = ${user.email}`
  company.acme.person = colleague
  const { body } = await company.signIn('acme')
  expect(body.account.id).toBe(acmeAccountId)
  const signedIn = await company.browser().signIn('open')
  const token = body.access_token
  for (const [path, input] of [
    ['switch-account', { account_id: user.accountId }],
    ['start-passkey-registration', undefined],
    ['authenticator-apps', { name: 'Phone' }],
    ['recovery-codes', undefined],
    ['sso/identities', { code: signedIn.code, code_verifier: signedIn.codeVerifier }],
  ] as const) {
    const refused = await control.rest('POST', `/auth/${path}`, { token, body: input })
    expect([path, refused.status, refused.body.error.code]).toEqual([path, 403, 'forbidden'])
  }
  const removed = await control.rest('DELETE', `/auth/second-factors/${user.accountId}`, { token })
  expect(removed.status).toBe(403)
  const another = (await company.signIn('acme')).body.access_token
  const ended = await control.rest('POST', '/auth/end-other-sessions', { token })
  expect(ended.body).toEqual({ ended_sessions: 1 })
  expect([(await me(another)).status, (await me(user.token)).status]).toEqual([401, 200])
  const own = await control.rest('POST', '/auth/switch-account', {
    token,
    body: { account_id: acmeAccountId },
  })
  expect(own.status).toBe(200)
  const foreign = { account_id: owner.accountId }
  expect((await control.rest('POST', '/auth/switch-account', { token, body: foreign })).status).toBe(403)
})

test('members see the domains whose people sign in to the account, and no others', async () => {
  const { control } = company
  company.acme.person = aColleague()
  const { body } = await company.signIn('acme')
  const domainsOf = async (token: string) => (await control.rest('GET', '/auth/sso/domains', { token })).body
  expect(await domainsOf(body.access_token)).toEqual([
    {
      domain: 'acme.example',
      issuer: { name: 'acme', title: 'Acme', url: expect.stringMatching(/\/acme$/) },
    },
  ])
  expect(await domainsOf((await control.aPerson()).token)).toEqual([])
})

test('a reset of the password removes the identities that were linked before the address was confirmed', async () => {
  const { control } = company
  const { sql, ids, config } = control.context
  const squatter = await control.aPerson()
  const link = async (sub: string) => {
    company.open.person = { sub, email: 'other@example.org', email_verified: true }
    const { code, codeVerifier } = await company.browser().signIn('open')
    const body = { code, code_verifier: codeVerifier }
    expect((await control.rest('POST', '/auth/sso/identities', { token: squatter.token, body })).status).toBe(
      201,
    )
  }
  await link('linked-before')
  await sql`update users set email_confirmed_at = now() where email = ${squatter.email}`
  await link('linked-after')
  const id = ids.uuid()
  await sql`
    insert into mailed_links (id, purpose, email, created_at, expires_at)
    values (${id}, 'reset_password', ${squatter.email}, now(), now() + interval '1 hour')`
  const token = linkToken(config, { id, purpose: 'reset_password' })
  const body = { token, new_password: 'of the owner' }
  expect((await control.rest('POST', '/auth/reset-password', { body })).status).toBeLessThan(300)
  expect(await sql`select subject from identities where subject like 'linked-%'`).toEqual([
    { subject: 'linked-after' },
  ])
})

test('issuers of customers are listed only for their domain', async () => {
  const names = async (query: string) =>
    (await company.control.rest('GET', `/auth/sso/issuers${query}`)).body.map(
      ({ name }: { name: string }) => name,
    )
  expect(await names('')).toEqual(['open'])
  expect(await names('?email=ada@acme.example')).toEqual(['acme', 'open'])
  expect(await names('?email=ada@notacme.example')).toEqual(['open'])
})

test('a person who is refused at the issuer returns with the error', async () => {
  company.acme.person = undefined
  const { error, visited } = await company.browser().signIn('acme')
  expect(error).toBe('sign_in_refused')
  expect(visited.url).toBe(`${serviceOrigin}/account/sign-in#sso_error=sign_in_refused`)
})

test('a log-out at the issuer ends the sessions of its session, and no others', async () => {
  const person = aColleague()
  company.acme.person = person
  const [browser, elsewhere] = [company.browser(), company.browser()]
  const session = await company.exchange(await browser.signIn('acme'))
  const other = await company.exchange(await elsewhere.signIn('acme'))
  const late = await browser.signIn('acme') // signed in, its code not yet exchanged

  const { text } = await browser.open(`${company.acme.url}/session/end?client_id=${company.acme.clientId}`)
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  await browser.open(`${company.acme.url}/session/end/confirm`, { form: { xsrf, logout: 'yes' } })

  expect(company.acme.logouts.at(-1)?.status).toBe(200)
  expect((await me(session.body.access_token)).status).toBe(401)
  expect((await me(other.body.access_token)).status).toBe(200)
  expect((await company.exchange(late)).body.error.code).toBe('sign_in_expired')
  const replay = await elsewhere.open(`${serviceOrigin}/account/sso/acme/logout`, {
    form: { logout_token: company.acme.logouts.at(-1)?.token ?? '' },
  })
  expect(replay.status).toBe(400)
})
