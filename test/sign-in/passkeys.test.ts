import { expect, test } from 'vitest'
import { perFile } from '../harness/per-file.ts'
import { aSignInSystem, baseUrl, type SignedUp } from './a-sign-in-system.ts'
import { Authenticator } from './an-authenticator.ts'

const system = perFile(() => aSignInSystem())

const complete = (challenge: { token: string }, passkey: unknown) =>
  system.post('complete-log-in', { challenge_token: challenge.token, passkey })

const startAlone = async () => (await system.post('start-passkey-log-in')).body.challenge
const challengeOf = async (person: SignedUp) => (await system.logIn(person)).body.challenge

async function aPersonWithPasskey() {
  const person = await system.aConfirmedPerson()
  return { person, authenticator: await system.addPasskey(person) }
}

/** Begins a registration. Returns the token of its challenge and the options. */
const register = async (person: SignedUp) =>
  (await system.post('start-passkey-registration', undefined, person)).body
const add = (person: SignedUp, challenge_token: string, passkey: unknown) =>
  system.post('passkeys', { challenge_token, name: 'Laptop', passkey }, person)

test('a passkey is a second factor, and logs its user in alone', async () => {
  const { person, authenticator } = await aPersonWithPasskey()
  const challenge = await challengeOf(person)
  expect(challenge.methods).toEqual(['passkey', 'recovery_code'])
  expect(challenge.passkey_options).toMatchObject({
    rpId: 'console.example.com',
    userVerification: 'preferred',
  })
  const unverified = authenticator.get(challenge.passkey_options, { isUserVerified: false })
  expect((await complete(challenge, unverified)).body.account.id).toBe(person.accountId)

  const alone = await startAlone()
  expect(alone.passkey_options).toMatchObject({ userVerification: 'required', rpId: 'console.example.com' })
  expect(alone.passkey_options.allowCredentials).toBeUndefined()
  const { status, body } = await complete(alone, authenticator.get(alone.passkey_options))
  expect([status, body.account.id]).toEqual([200, person.accountId])
  const listed = await system.rest('GET', '/auth/second-factors', { token: body.access_token })
  expect(listed.body).toMatchObject({
    total: 1,
    data: [{ kind: 'passkey', name: 'Laptop', last_used_at: expect.any(String) }],
  })
  expect(await system.subjectsTo(person.email)).toContain('A passkey was added')
})

test('a passkey that did not verify its user does not log in alone', async () => {
  const { authenticator } = await aPersonWithPasskey()
  const alone = await startAlone()
  const passkey = authenticator.get(alone.passkey_options, { isUserVerified: false })
  expect((await complete(alone, passkey)).body.error).toMatchObject({
    code: 'wrong_second_factor',
    param: 'passkey',
  })
  expect((await complete(alone, authenticator.get(alone.passkey_options))).status).toBe(200)
})

test.each([
  ['another origin', { origin: 'https://evil.example.com' }],
  ['a subdomain as origin', { origin: 'https://a.console.example.com' }],
  ['the origin without TLS', { origin: 'http://console.example.com' }],
  ['another relying party', { rpId: 'example.com' }],
  ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
])('%s is refused, at log-in and at registration', async (_, deviations) => {
  const { person, authenticator } = await aPersonWithPasskey()
  const alone = await startAlone()
  const passkey = authenticator.get(alone.passkey_options, deviations)
  expect((await complete(alone, passkey)).body.error.code).toBe('wrong_second_factor')
  const { options, challenge_token } = await register(person)
  const created = new Authenticator(baseUrl).create(options, deviations)
  const refused = await add(person, challenge_token, created)
  expect([refused.status, refused.body.error]).toEqual([
    400,
    expect.objectContaining({ code: 'passkey_refused', param: 'passkey' }),
  ])
})

test('a counter that does not grow, as of a cloned authenticator, is refused', async () => {
  const { authenticator } = await aPersonWithPasskey()
  const first = await startAlone()
  expect((await complete(first, authenticator.get(first.passkey_options, { counter: 7 }))).status).toBe(200)
  for (const counter of [7, 6, 0]) {
    const next = await startAlone()
    expect(
      (await complete(next, authenticator.get(next.passkey_options, { counter }))).status,
      `${counter}`,
    ).toBe(403)
  }
  const last = await startAlone()
  expect((await complete(last, authenticator.get(last.passkey_options, { counter: 8 }))).status).toBe(200)
})

test('a signed response works once, also concurrently, and for no other challenge', async () => {
  const { authenticator } = await aPersonWithPasskey()
  const challenge = await startAlone()
  const passkey = authenticator.get(challenge.passkey_options)
  expect((await complete(await startAlone(), passkey)).status).toBe(403)
  const tries = await Promise.all([1, 2, 3].map(() => complete(challenge, passkey)))
  expect(tries.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await complete(challenge, passkey)).body.error.code).toBe('challenge_refused')
})

test('the passkey of one user neither completes nor confirms for another', async () => {
  const [one, other] = [await aPersonWithPasskey(), await aPersonWithPasskey()]
  const challenge = await challengeOf(one.person)
  expect((await complete(challenge, other.authenticator.get(challenge.passkey_options))).status).toBe(403)
  const started = (await system.post('start-confirmation', undefined, one.person)).body.challenge
  const signed = other.authenticator.get(started.passkey_options)
  const confirm = (passkey: unknown, by: SignedUp) =>
    system.post('confirm', { challenge_token: started.token, passkey }, by)
  expect((await confirm(signed, one.person)).body.error.code).toBe('wrong_second_factor')
  // The other user cannot use the challenge of this session either.
  expect((await confirm(signed, other.person)).body.error.code).toBe('challenge_refused')
})

test('a challenge works for its own purpose and session alone', async () => {
  const { person, authenticator } = await aPersonWithPasskey()
  const stranger = await system.aConfirmedPerson()
  const { options, challenge_token } = await register(person)
  const login = { token: challenge_token }
  const signed = authenticator.get({ challenge: options.challenge, rpId: options.rp.id })
  expect((await complete(login, signed)).body.error.code).toBe('challenge_refused')
  const created = new Authenticator(baseUrl).create(options)
  expect((await add(stranger, challenge_token, created)).body.error.code).toBe('challenge_refused')
  const alone = await startAlone()
  const foreign = await system.post('log-in', { email: person.email, password: person.password })
  const elsewhere = await complete(
    foreign.body.challenge,
    authenticator.get(foreign.body.challenge.passkey_options),
  )
  const otherSession = { ...person, token: elsewhere.body.access_token }
  expect((await add(otherSession, challenge_token, created)).body.error.code).toBe('challenge_refused')
  expect((await add(person, alone.token, created)).body.error.code).toBe('challenge_refused')
  expect((await add(person, challenge_token, created)).status).toBe(201)
  expect((await add(person, challenge_token, created)).body.error.code).toBe('challenge_refused')
})

test('a passkey that is already stored is not stored for a second user', async () => {
  const { authenticator } = await aPersonWithPasskey()
  const thief = await system.aConfirmedPerson()
  const { options, challenge_token } = await register(thief)
  const stolen = new Authenticator(baseUrl)
  stolen.credentialId.set(authenticator.credentialId)
  expect((await add(thief, challenge_token, stolen.create(options))).body.error.code).toBe('passkey_refused')
})

test('each log-in begins a new session, so nobody can prepare one for a user', async () => {
  const { person, authenticator } = await aPersonWithPasskey()
  const sessionOf = async () => {
    const challenge = await startAlone()
    const { body } = await complete(challenge, authenticator.get(challenge.passkey_options))
    const list = await system.rest('GET', '/auth/sessions', { token: body.access_token })
    return { id: list.body.data[0].id, challenge: challenge.token.slice(0, 36), token: body.access_token }
  }
  const [one, other] = [await sessionOf(), await sessionOf()]
  expect(new Set([one.id, other.id, one.challenge, other.challenge]).size).toBe(4)
  expect((await system.rest('GET', '/me', { token: one.token })).body.id).toBe(person.accountId)
})

test.each([
  [undefined],
  ['text'],
  [{}],
  [{ id: 'x', response: {} }],
  [{ id: 'a'.repeat(20_000), response: { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' } }],
  [
    {
      id: 'AAAA',
      type: 'password',
      response: { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' },
    },
  ],
])('malformed passkeys are refused by name: %j', async passkey => {
  const answer = await complete(await startAlone(), passkey)
  expect([answer.status, answer.body.error.code]).toEqual([422, 'validation_failed'])
})

test('random bytes in the right fields are a wrong passkey, never a server error', async () => {
  const { person, authenticator } = await aPersonWithPasskey()
  const id = authenticator.credentialId.toString('base64url')
  const bytes = Buffer.from('not what it should be').toString('base64url')
  const response = { clientDataJSON: bytes, authenticatorData: bytes, signature: bytes }
  expect((await complete(await startAlone(), { id, response })).status).toBe(403)
  const { challenge_token } = await register(person)
  const registration = { id, response: { clientDataJSON: bytes, attestationObject: bytes } }
  expect((await add(person, challenge_token, registration)).status).toBe(400)
})
