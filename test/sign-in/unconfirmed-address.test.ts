import { expect, test } from 'vitest'
import { perFile } from '../harness/per-file.ts'
import { aSignInSystem } from './a-sign-in-system.ts'

const system = perFile(() => aSignInSystem())

test('a person who has not confirmed the address adds no second factor, so a reset of the password regains it', async () => {
  const [email, name] = ['victim@example.com', 'Phone']
  const signUp = await system.post('sign-up', { email, password: 'of the squatter' })
  const squatter = { token: signUp.body.access_token }
  for (const [path, body] of [
    ['authenticator-apps', { name }],
    ['start-passkey-registration', undefined],
  ] as const) {
    const refused = await system.post(path, body, squatter)
    expect([refused.status, refused.body.error.code]).toEqual([403, 'email_not_confirmed'])
  }

  await system.post('request-password-reset', { email })
  const token = (await system.tokensTo(email)).at(-1)
  // One step confirms the address and ends the squatter's session, which therefore never has a confirmed address.
  await system.post('reset-password', { token, new_password: 'of the owner' })
  expect((await system.post('authenticator-apps', { name }, squatter)).status).toBe(401)
  const stale = await system.post('log-in', { email, password: 'of the squatter' })
  expect(stale.status).toBe(401)
  const owner = await system.post('log-in', { email, password: 'of the owner' })
  expect((await system.post('authenticator-apps', { name }, { token: owner.body.access_token })).status).toBe(
    201,
  )
})

test('a member without a second factor can confirm the address, where the account requires a second factor', async () => {
  const { body } = await system.post('sign-up', { email: 'member@example.com', password: 'correct horse' })
  await system.context.sql`update accounts set requires_second_factor = true where id = ${body.account.id}`
  const session = { token: body.access_token }
  expect((await system.rest('GET', '/members', session)).body.error.code).toBe('second_factor_required')
  expect((await system.post('request-email-confirmation', undefined, session)).status).toBeLessThan(300)
})
