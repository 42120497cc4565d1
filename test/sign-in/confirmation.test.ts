import { expect, test } from 'vitest'
import { guardedOperations } from '../../domain/callers/confirmations.ts'
import { permittedTo } from '../../domain/callers/permissions.ts'
import { resetSecondFactors } from '../../domain/second-factors/remove-factor.ts'
import { perFile } from '../harness/per-file.ts'
import { aSignInSystem, codeOf, type SignedUp } from './a-sign-in-system.ts'

const system = perFile(() => aSignInSystem())

const codeOfError = ({ body }: { body: { error?: { code: string } } | undefined }) => body?.error?.code

const fullKeysOf = async (token: string) => {
  const { body } = await system.rest('GET', '/api-keys', { token })
  return body.map((key: { full_key?: string }) => key.full_key)
}

test('every guarded operation is in the table of permissions', () => {
  expect(guardedOperations().filter(operation => !permittedTo(operation))).toEqual([])
})

test('a log-in counts as a confirmation for ten minutes; refreshing does not prolong it', async () => {
  const person = await system.aConfirmedPerson()
  const until = async (token: string) =>
    Date.parse((await system.rest('GET', '/auth/status', { token })).body.confirmed_until)
  const first = await until(person.token)
  expect(Math.abs(first - Date.now() - 10 * 60_000)).toBeLessThan(30_000)
  const refreshed = await system.post('refresh', { refresh_token: person.refreshToken })
  expect(await until(refreshed.body.access_token)).toBe(first)
})

test('without a recent confirmation, full keys are omitted and changes of sign-in are refused', async () => {
  const person = await system.aConfirmedPerson()
  const created = await system.rest('POST', '/api-keys', { token: person.token, body: { name: 'a key' } })
  expect(await fullKeysOf(person.token)).toEqual([created.body.key])
  await system.makeUnconfirmed(person)
  expect(await fullKeysOf(person.token)).toEqual([undefined])
  const { data, errors } = await system.graph('{ apiKeys { nodes { name fullKey } } }', {
    token: person.token,
  })
  expect([data.apiKeys.nodes, errors]).toEqual([[{ name: 'a key', fullKey: null }], undefined])
  const password = { current_password: person.password, new_password: 'a new password' }
  for (const [path, body] of [
    ['change-password', password],
    ['authenticator-apps', { name: 'Phone' }],
    ['start-passkey-registration', undefined],
    ['recovery-codes', undefined],
  ] as const) {
    const refused = await system.post(path, body, person)
    expect([path, refused.status, codeOfError(refused)]).toEqual([path, 403, 'confirmation_required'])
  }
  // Everything else works as before, also what creates a key.
  expect(
    (await system.rest('POST', '/api-keys', { token: person.token, body: { name: 'other' } })).status,
  ).toBe(201)

  const wrong = await system.post('confirm', { password: 'not this one' }, person)
  expect([wrong.status, codeOfError(wrong)]).toEqual([403, 'wrong_password'])
  expect((await system.post('confirm', {}, person)).body.error).toMatchObject({ param: 'password' })
  expect(await fullKeysOf(person.token)).toEqual([undefined, undefined])
  const confirmed = await system.post('confirm', { password: person.password }, person)
  expect(Date.parse(confirmed.body.confirmed_until)).toBeGreaterThan(Date.now())
  expect(await fullKeysOf(person.token)).toContain(created.body.key)
  const log = await system.rest('GET', '/audit-log?per_page=1', { token: person.token })
  expect(log.body.data[0]).toMatchObject({ action: 'confirmIdentity', outcome: 'done' })
})

test('a confirmation lasts over a refresh, and counts for its own session alone', async () => {
  const person = await system.aConfirmedPerson()
  const other = await system.logIn(person)
  await system.makeUnconfirmed(person)
  expect((await system.post('confirm', { password: person.password }, person)).status).toBe(200)
  const refreshed = await system.post('refresh', { refresh_token: person.refreshToken })
  const add = (token: string) => system.post('authenticator-apps', { name: 'Phone' }, { token })
  expect((await add(other.body.access_token)).status).toBe(403)
  expect((await add(refreshed.body.access_token)).status).toBe(201)
})

test('a user with a second factor confirms with password and proof, or with a verifying passkey alone', async () => {
  const person = await system.aConfirmedPerson()
  const { secret, recoveryCodes } = await system.addApp(person)
  const authenticator = await system.addPasskey(person)
  const confirm = async (body: object) => {
    await system.makeUnconfirmed(person)
    return system.post('confirm', body, person)
  }
  const { password } = person
  expect((await confirm({ password })).body.error).toMatchObject({ code: 'validation_failed', param: 'code' })
  expect((await confirm({ code: codeOf(secret) })).body.error).toMatchObject({ param: 'password' })
  expect(codeOfError(await confirm({ password: 'not this one', code: codeOf(secret) }))).toBe(
    'wrong_password',
  )
  expect(codeOfError(await confirm({ password, code: codeOf(secret, 9) }))).toBe('wrong_second_factor')
  expect((await confirm({ password, code: codeOf(secret), recovery_code: 'x' })).status).toBe(422)
  // None of these has used the code up.
  expect((await confirm({ password, code: codeOf(secret) })).status).toBe(200)
  expect(codeOfError(await confirm({ password, code: codeOf(secret) }))).toBe('wrong_second_factor')
  expect((await confirm({ password, recovery_code: recoveryCodes[0] })).status).toBe(200)

  const start = async () => (await system.post('start-confirmation', undefined, person)).body.challenge
  const challenge = await start()
  expect(challenge.methods).toEqual(['totp', 'passkey', 'recovery_code'])
  const unverified = authenticator.get(challenge.passkey_options, { isUserVerified: false })
  const challenge_token = challenge.token
  expect((await confirm({ passkey: unverified })).body.error).toMatchObject({ param: 'challenge_token' })
  expect((await confirm({ passkey: unverified, challenge_token })).body.error).toMatchObject({
    param: 'password',
  })
  expect((await confirm({ password, passkey: unverified, challenge_token })).status).toBe(200)
  const again = await start()
  const verified = { passkey: authenticator.get(again.passkey_options), challenge_token: again.token }
  expect((await confirm(verified)).status).toBe(200)
  expect(codeOfError(await confirm(verified))).toBe('challenge_refused')
})

test('an account that requires a second factor lets a member without one only add one', async () => {
  const owner = await system.aConfirmedPerson()
  const require = (is_required: boolean) =>
    system.rest('PUT', '/auth/second-factor-requirement', { token: owner.token, body: { is_required } })
  const without = await require(true)
  expect([without.status, codeOfError(without)]).toEqual([403, 'second_factor_required'])
  const { id } = await system.addApp(owner)
  expect((await require(true)).body).toEqual({ is_required: true })
  expect((await system.rest('GET', '/me', { token: owner.token })).status).toBe(200)

  const member = await joined(owner)
  const refused = await system.rest('GET', '/api-keys', { token: member.token })
  expect([refused.status, codeOfError(refused)]).toEqual([403, 'second_factor_required'])
  const { errors } = await system.graph('{ me { name balance { available } } }', { token: member.token })
  expect(errors?.map(({ extensions }) => extensions.problem)).toEqual(['second_factor_required'])
  expect((await system.rest('GET', '/auth/status', { token: member.token })).body).toMatchObject({
    requires_second_factor: true,
    has_second_factor: false,
    lacks_second_factor: true,
  })
  await system.addPasskey(member)
  expect((await system.rest('GET', '/api-keys', { token: member.token })).status).toBe(200)
  const body = { is_required: false }
  const byMember = await system.rest('PUT', '/auth/second-factor-requirement', { token: member.token, body })
  expect([byMember.status, codeOfError(byMember)]).toEqual([403, 'forbidden'])

  const remove = (of: string) => system.rest('DELETE', `/auth/second-factors/${of}`, { token: owner.token })
  expect(codeOfError(await remove(id))).toBe('second_factor_required')
  await system.addPasskey(owner)
  expect((await remove(id)).status).toBe(204)
  expect((await require(false)).status).toBe(200)
})

test('removing the last second factor returns to a log-in in one step, and removes the recovery codes', async () => {
  const person = await system.aConfirmedPerson()
  const { id } = await system.addApp(person)
  const remove = (of: string, token: string) => system.rest('DELETE', `/auth/second-factors/${of}`, { token })
  expect((await remove(id, (await system.aConfirmedPerson()).token)).status).toBe(404)
  await system.makeUnconfirmed(person)
  expect(codeOfError(await remove(id, person.token))).toBe('confirmation_required')
  await system.context.sql`update refresh_tokens set confirmed_at = now() where user_id = ${person.userId}`
  expect((await remove(id, person.token)).status).toBe(204)
  expect((await system.logIn(person)).body.access_token).toBeDefined()
  expect((await system.rest('GET', '/auth/status', person)).body.recovery_codes_left).toBe(0)
  expect(codeOfError(await system.post('recovery-codes', undefined, person))).toBe('conflict')
  expect(await system.subjectsTo(person.email)).toContain('A second factor was removed')
})

test('a reset of the password keeps the second factors, and notifies the user', async () => {
  const person = await system.aConfirmedPerson()
  const { secret } = await system.addApp(person)
  await system.post('request-password-reset', { email: person.email })
  const token = (await system.tokensTo(person.email)).at(-1)
  expect((await system.post('reset-password', { token, new_password: 'a new password' })).status).toBe(204)
  const { body } = await system.logIn({ ...person, password: 'a new password' })
  expect(body.access_token).toBeUndefined()
  const proof = { challenge_token: body.challenge.token, code: codeOf(secret) }
  expect((await system.post('complete-log-in', proof)).status).toBe(200)
  expect(await system.subjectsTo(person.email)).toContain('Your password was changed')
})

test('a reset of the second factors removes them, ends the sessions and notifies the user', async () => {
  const person = await system.aConfirmedPerson()
  await system.addApp(person)
  await system.addPasskey(person)
  const { body } = await system.logIn(person)
  expect(await resetSecondFactors(system.context, { userId: person.userId })).toEqual({ endedSessions: 1 })
  expect((await system.rest('GET', '/me', { token: person.token })).status).toBe(401)
  const late = await system.post('complete-log-in', { challenge_token: body.challenge.token, code: '000000' })
  expect(codeOfError(late)).toBe('challenge_refused')
  expect((await system.logIn(person)).body.access_token).toBeDefined()
  expect(await system.subjectsTo(person.email)).toContain('Your second factors were removed')
})

/** A person whose only account is the owner's account. */
async function joined(owner: SignedUp): Promise<SignedUp> {
  const person = await system.aConfirmedPerson()
  const { sql } = system.context
  await sql`
    update memberships set account_id = ${owner.accountId}, role = 'developer' where user_id = ${person.userId}`
  const { body } = await system.logIn(person)
  return { ...person, accountId: owner.accountId, token: body.access_token, refreshToken: body.refresh_token }
}
