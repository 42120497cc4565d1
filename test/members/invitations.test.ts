import { expect, test } from 'vitest'
import { linkToken } from '../../domain/accounts/mailed-links.ts'
import type { Role } from '../../schema/entities/accounts.ts'
import { anAccountSystem } from '../accounts/an-account-system.ts'
import type { Person } from '../harness/a-control-plane.ts'
import { anAccount, anInvitation as insertInvitation, joinAccount } from '../harness/an-account.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(anAccountSystem)

let addresses = 0
/** Another client address each time, so that no limit of a network is reached. */
const from = () => ({ 'x-forwarded-for': `198.51.100.${++addresses}` })
const password = 'correct horse battery'

async function anOwner(): Promise<Person> {
  const person = await system.aPerson()
  await confirm(person)
  return person
}

const confirm = ({ email }: { email: string }) =>
  system.context.sql`update users set email_confirmed_at = now() where email = ${email}`

let guests = 0
const aGuest = () => `guest-${++guests}@example.com`

const invite = (token: string, email: string, role: Role = 'developer') =>
  system.rest('POST', '/invitations', { token, body: { email, role } })

/** Invites an address. Resolves to the invitation and the token of its link. */
async function anInvitation(token: string, email: string, role?: Role) {
  const { status, body } = await invite(token, email, role)
  expect(status).toBe(201)
  return { id: body.id as string, link: (await system.tokensTo(email)).at(-1) ?? '' }
}

const accept = (link: string, details: object = {}, token?: string) =>
  system.rest('POST', '/auth/accept-invitation', {
    token,
    body: { token: link, ...details },
    headers: from(),
  })
const outcomeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body?.error?.code,
]
const rolesIn = async ({ accountId }: Person) => {
  const rows = await system.context.sql<{ email: string; role: Role }[]>`
    select u.email, m.role from memberships m join users u on u.id = m.user_id where m.account_id = ${accountId}`
  return Object.fromEntries(rows.map(({ email, role }) => [email, role]))
}

test('a person without a user signs up with the invitation, with a confirmed address, once', async () => {
  const [owner, email] = [await anOwner(), aGuest()]
  const { link } = await anInvitation(owner.token, email, 'billing')
  const mail = system.mailbox.mails.find(({ recipients }) => recipients.includes(email))
  expect(mail?.text).toContain(`${owner.email} invites you`)
  expect(mail?.text).toContain('/account/accept-invitation#')

  const incomplete = await accept(link)
  expect([incomplete.status, incomplete.body.error.param]).toEqual([422, 'password'])
  const { status, body } = await accept(link, { password, name: 'Grace' })
  expect([status, body.account_id, body.session.account.id]).toEqual([200, owner.accountId, owner.accountId])
  const { data } = await system.graph('{ viewer { role user { email name emailConfirmedAt } } }', {
    token: body.session.access_token,
  })
  const user = { email, name: 'Grace', emailConfirmedAt: expect.any(String) }
  expect(data.viewer).toEqual({ role: 'BILLING', user })
  expect(await rolesIn(owner)).toEqual({ [owner.email]: 'owner', [email]: 'billing' })
  expect(outcomeOf(await accept(link, { password }))).toEqual([400, 'link_refused'])
  expect((await system.rest('GET', '/invitations', { token: owner.token })).body.data).toEqual([])
  const log = await system.rest('GET', '/audit-log', { token: owner.token })
  expect(log.body.data[0]).toMatchObject({ action: 'acceptInvitation', actor_email: email })
})

test('the invitations of a key end with its revocation, not with its expiry', async () => {
  const owner = await anOwner()
  const body = { name: 'people', is_provisioning: true, scopes: ['members', 'read'] }
  const keys = [
    (await system.rest('POST', '/api-keys', { token: owner.token, body })).body,
    (await system.rest('POST', '/api-keys', { token: owner.token, body })).body,
  ]
  const links = []
  for (const { key } of keys) links.push((await anInvitation(key, aGuest(), 'viewer')).link)
  const [revoked, expired] = keys
  expect((await system.rest('DELETE', `/api-keys/${revoked.id}`, { token: owner.token })).status).toBe(204)
  await system.context.sql`update api_keys set expires_at = now() where id = ${expired.id}`
  const outcomes = []
  for (const link of links) outcomes.push(outcomeOf(await accept(link, { password })))
  expect(outcomes).toEqual([
    [400, 'link_refused'],
    [200, undefined],
  ])
})

test('the invitations of a key end when its creator is removed and the key is disabled', async () => {
  const owner = await anOwner()
  const admin = await joinAccount(system, { accountId: owner.accountId, role: 'admin' })
  const body = { name: 'people', is_provisioning: true, scopes: ['members', 'read'] }
  const key = (await system.rest('POST', '/api-keys', { token: admin, body })).body
  const { link } = await anInvitation(key.key, aGuest(), 'viewer')
  const { data } = await system.graph('{ viewer { user { id } } }', { token: admin })
  const path = `/members/${data.viewer.user.id}?disable_api_keys=true`
  expect((await system.rest('DELETE', path, { token: owner.token })).status).toBe(204)
  expect(outcomeOf(await accept(link, { password }))).toEqual([400, 'link_refused'])
})

test('a user joins with the link, logged in or not, and gets no session from it', async () => {
  const [owner, loggedIn, loggedOut] = [await anOwner(), await anOwner(), await anOwner()]
  const first = await anInvitation(owner.token, loggedIn.email)
  const second = await anInvitation(owner.token, loggedOut.email, 'viewer')
  expect((await accept(first.link, {}, loggedIn.token)).body).toMatchObject({ session: null })
  const withPassword = await accept(second.link, { password })
  expect([withPassword.status, withPassword.body.error.param]).toEqual([422, 'password'])
  expect((await accept(second.link)).body).toMatchObject({ account_id: owner.accountId, session: null })
  expect(await rolesIn(owner)).toEqual({
    [owner.email]: 'owner',
    [loggedIn.email]: 'developer',
    [loggedOut.email]: 'viewer',
  })
  const again = await system.rest('POST', '/auth/log-in', {
    body: { email: loggedOut.email, password: loggedOut.password },
    headers: from(),
  })
  expect(again.body.account.id).toBe(loggedOut.accountId) // joining does not change where a log-in leads
})

test('nobody else gets in with the link: another user, or a user who has not confirmed the address', async () => {
  const [owner, thief, email] = [await anOwner(), await anOwner(), aGuest()]
  const { link } = await anInvitation(owner.token, email)
  expect(outcomeOf(await accept(link, {}, thief.token))).toEqual([403, 'wrong_address'])
  const body = { email, password: 'of the squatter' }
  const squatter = (await system.rest('POST', '/auth/sign-up', { body, headers: from() })).body.access_token
  expect(outcomeOf(await accept(link, {}, squatter))).toEqual([403, 'wrong_address'])
  expect(Object.keys(await rolesIn(owner))).toEqual([owner.email])
  expect((await accept(link, { password })).status).toBe(200) // the link is still valid for its addressee
  expect((await rolesIn(owner))[email]).toBe('developer')
  const { data } = await system.graph('{ viewer { user { emailConfirmedAt } } }', { token: squatter })
  expect(data.viewer.user.emailConfirmedAt).toBeNull()
})

test('a revoked, expired, replaced, forged or foreign link lets nobody in', async () => {
  const [owner, email] = [await anOwner(), aGuest()]
  const revoked = await anInvitation(owner.token, email)
  expect((await system.rest('DELETE', `/invitations/${revoked.id}`, { token: owner.token })).status).toBe(204)
  const replaced = await anInvitation(owner.token, email)
  const resent = await system.rest('POST', `/invitations/${replaced.id}/resend`, { token: owner.token })
  expect(resent.body).toMatchObject({ id: replaced.id, email })
  const current = (await system.tokensTo(email)).at(-1) ?? ''
  const [id = '', mac = ''] = current.split('.')
  const other = current.replace(/^./, digit => (digit === '0' ? '1' : '0'))
  const forged = ['', 'x', id, `${id}.`, `${id}.${mac.split('').reverse().join('')}`, other, `${current}x`]
  for (const link of [revoked.link, replaced.link, ...forged])
    expect(outcomeOf(await accept(link, { password }))).toEqual([400, 'link_refused'])
  const reset = await system.rest('POST', '/auth/reset-password', {
    body: { token: current, new_password: password },
    headers: from(),
  })
  expect(outcomeOf(reset)).toEqual([400, 'link_refused']) // a link serves no other purpose
  await system.context.sql`update invitations set expires_at = now() where email = ${email}`
  expect(outcomeOf(await accept(current, { password }))).toEqual([400, 'link_refused'])
  expect(Object.keys(await rolesIn(owner))).toEqual([owner.email])
})

test('of two people who use a link at the same time, one gets in', async () => {
  const [owner, email] = [await anOwner(), aGuest()]
  const { link } = await anInvitation(owner.token, email)
  const answers = await Promise.all([accept(link, { password }), accept(link, { password: `${password}!` })])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(Object.keys(await rolesIn(owner))).toHaveLength(2)
})

test('of an acceptance and a revocation at the same time, one succeeds', async () => {
  const owner = await anOwner()
  for (let round = 0; round < 5; round++) {
    const email = aGuest()
    const { id, link } = await anInvitation(owner.token, email)
    const [accepted, revoked] = await Promise.all([
      accept(link, { password }),
      system.rest('DELETE', `/invitations/${id}`, { token: owner.token }),
    ])
    expect([
      [200, 404],
      [400, 204],
    ]).toContainEqual([accepted.status, revoked.status])
    expect(Object.keys(await rolesIn(owner)).includes(email)).toBe(accepted.status === 200)
  }
})

test('opening the link changes nothing: the page sends the token when its reader presses the button', async () => {
  const [owner, email] = [await anOwner(), aGuest()]
  const { link } = await anInvitation(owner.token, email)
  for (const path of [
    `/account/accept-invitation?token=${link}`,
    `/api/v1/auth/accept-invitation?token=${link}`,
  ])
    await fetch(`${system.url}${path}`)
  const query = new URLSearchParams({
    query: `mutation { acceptInvitation(input: { token: "${link}", password: "${password}" }) { accountId } }`,
  })
  await fetch(`${system.url}/graphql?${query}`)
  const page = await fetch(`${system.url}/account/accept-invitation`)
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  expect(Object.keys(await rolesIn(owner))).toEqual([owner.email])
  expect((await accept(link, { password })).status).toBe(200)
})

test('the response does not reveal whether a user has the address', async () => {
  const [owner, user] = [await anOwner(), await anOwner()]
  const answers = [await invite(owner.token, user.email), await invite(owner.token, aGuest())]
  const [known, unknown] = answers.map(({ status, body }) => [status, { ...body, email: '', id: '' }])
  const times = {
    created_at: expect.any(String),
    sent_at: expect.any(String),
    expires_at: expect.any(String),
  }
  expect(known).toEqual([unknown?.[0], { ...(unknown?.[1] as object), ...times }])
  const again = await Promise.all([invite(owner.token, user.email), invite(owner.token, aGuest())])
  expect(again.map(({ status }) => status)).toEqual([409, 201])
})

test('only admins and owners invite, only owners invite owners, and only after an address is confirmed', async () => {
  const owner = await anOwner()
  const tokenOf = (role: Role) => joinAccount(system, { accountId: owner.accountId, role })
  for (const role of ['developer', 'billing', 'viewer'] as const)
    expect(outcomeOf(await invite(await tokenOf(role), aGuest()))).toEqual([403, 'forbidden'])
  const admin = await tokenOf('admin')
  expect(outcomeOf(await invite(admin, aGuest(), 'owner'))).toEqual([403, 'forbidden'])
  expect((await invite(admin, aGuest(), 'admin')).status).toBe(201)
  const owned = await anInvitation(owner.token, aGuest(), 'owner')
  expect((await system.rest('DELETE', `/invitations/${owned.id}`, { token: admin })).status).toBe(403)
  const unconfirmed = await system.aPerson()
  expect(outcomeOf(await invite(unconfirmed.token, aGuest()))).toEqual([403, 'email_not_confirmed'])
  expect(outcomeOf(await invite(owner.token, owner.email))).toEqual([409, 'conflict'])
  const wrong = await invite(owner.token, 'no address')
  expect([wrong.status, wrong.body.error.param]).toEqual([422, 'email'])
})

test('a member who is removed or demoted leaves no invitation behind that he or she could not send', async () => {
  const owner = await anOwner()
  const admin = await joinAccount(system, { accountId: owner.accountId, role: 'admin' })
  const { link } = await anInvitation(admin, aGuest(), 'admin')
  const { id } = (await system.graph('{ viewer { user { id } } }', { token: admin })).data.viewer.user
  await system.rest('PUT', `/members/${id}`, { token: owner.token, body: { role: 'viewer' } })
  expect(outcomeOf(await accept(link, { password }))).toEqual([400, 'link_refused'])
})

test('e-mails are limited per address and per account, and open invitations per account', async () => {
  const [owner, email] = [await anOwner(), aGuest()]
  const { id } = await anInvitation(owner.token, email)
  const resend = () => system.rest('POST', `/invitations/${id}/resend`, { token: owner.token })
  const answers = [await resend(), await resend(), await resend()]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
  await system.context.sql`
    update accounts set allowances = '{"invitations": 2, "invitation_mails": 6}' where id = ${owner.accountId}`
  await new Promise(resolve => setTimeout(resolve, 1_200)) // a standing is read again after a second
  expect((await invite(owner.token, aGuest())).status).toBe(201)
  expect(outcomeOf(await invite(owner.token, aGuest()))).toEqual([422, 'validation_failed'])
  const exceeded = await invite(owner.token, aGuest())
  expect([exceeded.status, exceeded.body.error.param]).toEqual([429, 'invitation_mails'])
})

test('a suspended account lets nobody in, and its link is valid again afterwards', async () => {
  const [owner, email] = [await anOwner(), aGuest()]
  const { link } = await anInvitation(owner.token, email)
  const { sql } = system.context
  await sql`update accounts set suspended_at = now() where id = ${owner.accountId}`
  expect(outcomeOf(await accept(link, { password }))).toEqual([403, 'account_suspended'])
  await sql`update accounts set suspended_at = null where id = ${owner.accountId}`
  expect((await accept(link, { password })).status).toBe(200)
})

test('an invitation works while sign-up is closed', async () => {
  const closed = await anAccountSystem({ SIGN_UP: 'closed' })
  try {
    const signUp = { body: { email: aGuest(), password } }
    expect((await closed.rest('POST', '/auth/sign-up', signUp)).status).toBe(403)
    const { context } = closed
    const { accountId } = await anAccount(context)
    const invitationId = await insertInvitation(context, { accountId })
    const [row] = await context.sql<{ linkId: string }[]>`
      select link_id as "linkId" from invitations where id = ${invitationId}`
    const token = linkToken(closed.config, { id: row?.linkId ?? '', purpose: 'accept_invitation' })
    const accepted = await closed.rest('POST', '/auth/accept-invitation', { body: { token, password } })
    expect([accepted.status, accepted.body.account_id]).toEqual([200, accountId])
  } finally {
    await closed.close()
  }
})
