import { afterAll, beforeAll, expect, test } from 'vitest'
import { aCompany, type Company } from '../harness/single-sign-on/a-company.ts'
import { serviceOrigin } from '../harness/single-sign-on/service-origin.ts'
import { codeOf } from '../sign-in/a-sign-in-system.ts'
import { Authenticator } from '../sign-in/an-authenticator.ts'

let company: Company
beforeAll(async () => {
  company = await aCompany()
})
afterAll(() => company.close())

const post = (path: string, token: string, body?: object) =>
  company.control.rest('POST', `/auth/${path}`, { token, body })
const remove = (path: string, token: string) => company.control.rest('DELETE', `/auth/${path}`, { token })

/** A person who signed up at the issuer for everyone, and so has no password. */
async function aPersonWithoutPassword(sub: string) {
  company.open.person = { sub, email: `${sub}@elsewhere.example`, email_verified: true }
  const { body } = await company.signIn('open')
  const token: string = body.access_token
  const identities = await company.control.rest('GET', '/auth/sso/identities', { token })
  return { token, identityId: identities.body[0].id as string }
}

async function addPasskey(token: string, { isUserVerified }: { isUserVerified: boolean }) {
  const { body } = await post('start-passkey-registration', token)
  const authenticator = new Authenticator(serviceOrigin)
  const passkey = authenticator.create(body.options, { isUserVerified })
  const added = await post('passkeys', token, { challenge_token: body.challenge_token, name: 'Key', passkey })
  return { authenticator, id: added.body.id as string }
}

const forgetConfirmations = () =>
  company.control.context.sql`update refresh_tokens set confirmed_at = now() - interval '11 minutes'`

test('the only means of signing in stays: an identity, or a passkey that verifies its user', async () => {
  const { token, identityId } = await aPersonWithoutPassword('unlinker')
  const unlink = () => remove(`sso/identities/${identityId}`, token)
  expect((await unlink()).body.error.code).toBe('last_sign_in')
  const { sql, ids } = company.control.context
  await sql`
    insert into identities (id, user_id, issuer, subject, created_at, last_used_at)
    select ${ids.uuid()}, user_id, 'https://removed.example', 'x', now(), now() from identities where id = ${identityId}`
  expect((await unlink()).body.error.code, 'the settings no longer have the issuer').toBe('last_sign_in')
  await addPasskey(token, { isUserVerified: false }) // a second factor, which does not log in alone
  expect((await unlink()).body.error.code).toBe('last_sign_in')

  const { id } = await addPasskey(token, { isUserVerified: true })
  expect((await remove(`second-factors/${id}`, token)).status).toBe(204)

  const next = await addPasskey(token, { isUserVerified: true })
  expect((await unlink()).status).toBe(204)
  const { body } = await company.control.rest('POST', '/auth/start-passkey-log-in')
  const passkey = next.authenticator.get(body.challenge.passkey_options)
  const loggedIn = await company.control.rest('POST', '/auth/complete-log-in', {
    body: { challenge_token: body.challenge.token, passkey },
  })
  expect(loggedIn.status).toBe(200)
  const last = await remove(`second-factors/${next.id}`, loggedIn.body.access_token)
  expect([last.status, last.body.error.code]).toEqual([409, 'last_sign_in'])
})

test('a person without a password confirms with a passkey or by signing in again', async () => {
  const { token } = await aPersonWithoutPassword('confirmer')
  const status = async () => (await company.control.rest('GET', '/auth/status', { token })).body
  expect(await status()).toMatchObject({ has_password: false, has_second_factor: false })
  const { authenticator } = await addPasskey(token, { isUserVerified: true })
  const app = await post('authenticator-apps', token, { name: 'Phone' })
  await post(`authenticator-apps/${app.body.id}/activate`, token, { code: codeOf(app.body.secret) })
  await forgetConfirmations()

  const codeOfNext = codeOf(app.body.secret, 1)
  for (const body of [
    {},
    { password: 'a guess 123' },
    { code: codeOfNext },
    { password: 'x', code: codeOfNext },
  ]) {
    const refused = await post('confirm', token, body)
    expect([refused.status, refused.body.error.code]).toEqual([403, 'password_not_set'])
  }
  const changed = { current_password: '', new_password: 'a new password' }
  expect((await post('change-password', token, changed)).body.error.code).toBe('confirmation_required')

  const confirm = async (isUserVerified: boolean) => {
    const { challenge } = (await post('start-confirmation', token)).body
    const passkey = authenticator.get(challenge.passkey_options, { isUserVerified })
    return post('confirm', token, { challenge_token: challenge.token, passkey })
  }
  expect((await confirm(false)).body.error.code).toBe('password_not_set')
  expect((await confirm(true)).status).toBe(200)
  expect(Date.parse((await status()).confirmed_until)).toBeGreaterThan(Date.now())
  expect((await post('change-password', token, changed)).body.error.code).toBe('password_not_set')

  await forgetConfirmations()
  const again = await company.signIn('open')
  const other = await company.control.rest('GET', '/auth/status', { token: again.body.access_token })
  expect(Date.parse(other.body.confirmed_until)).toBeGreaterThan(Date.now())
  expect(Date.parse((await status()).confirmed_until)).toBeLessThan(Date.now())
})

test('addresses of an issuer are changed at the issuer only, in both directions', async () => {
  const { sql } = company.control.context
  const request = (of: string, address: string) => post('request-email-change', of, { email: address })
  const { token, email } = await company.control.aPerson()
  const chosen = await request(token, 'ceo@acme.example')
  expect([chosen.status, chosen.body.error]).toMatchObject([403, { code: 'forbidden', param: 'email' }])
  await sql`update users set email = 'ada@acme.example' where email = ${email}`
  const left = await request(token, 'ada@elsewhere.example')
  expect([left.status, left.body.error]).toMatchObject([
    403,
    { code: 'forbidden', message: expect.stringContaining('ada@acme.example') },
  ])
  company.acme.person = {
    sub: 'colleague',
    email: 'joan@acme.example',
    email_verified: true,
    groups: ['platform'],
  }
  const session = await company.signIn('acme')
  const limited = await request(session.body.access_token, 'joan@elsewhere.example')
  expect([limited.status, limited.body.error.code]).toEqual([403, 'forbidden'])
})
