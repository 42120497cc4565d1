import { expect, test } from 'vitest'
import { associatedDataOfTotpSecret } from '../../domain/second-factors/totp.ts'
import { rewrapColumn, sealedColumns } from '../../operator/rewrap-secrets.ts'
import { openVault } from '../../platform/secrets/vault.ts'
import { perFile } from '../harness/per-file.ts'
import { aSignInSystem, codeOf, type SignedUp } from './a-sign-in-system.ts'

const system = perFile(() => aSignInSystem({ LOGIN_TRIES: '5' }))

const statusOfMe = async (token: string) => (await system.rest('GET', '/me', { token })).status

/** A person with an authenticator app. */
async function aPersonWithApp() {
  const person = await system.aConfirmedPerson()
  return { ...person, ...(await system.addApp(person)) }
}

/** Begins a log-in and returns the token of its challenge. */
async function challengeOf(person: SignedUp): Promise<string> {
  const { body } = await system.logIn(person)
  return body.challenge.token
}

const complete = (challenge_token: string, proof: object, from?: string) =>
  system.post('complete-log-in', { challenge_token, ...proof }, { from })

test('a user without a second factor logs in as before', async () => {
  const person = await system.aConfirmedPerson()
  const { status, body } = await system.logIn(person)
  expect([status, Object.keys(body)]).toEqual([
    200,
    ['access_token', 'expires_at', 'refresh_token', 'account'],
  ])
})

test('with an app, a log-in has two steps, and the first gives no session', async () => {
  const person = await aPersonWithApp()
  const first = await system.logIn(person)
  expect(first.status).toBe(200)
  expect(first.body).toEqual({
    challenge: {
      token: expect.any(String),
      expires_at: expect.any(String),
      methods: ['totp', 'recovery_code'],
      passkey_options: null,
    },
  })
  const { token } = first.body.challenge
  expect(await statusOfMe(token)).toBe(401)
  const second = await complete(token, { code: codeOf(person.secret) })
  expect(Object.keys(second.body)).toEqual(['access_token', 'expires_at', 'refresh_token', 'account'])
  expect(await statusOfMe(second.body.access_token)).toBe(200)
  const log = await system.rest('GET', '/audit-log?per_page=1', { token: second.body.access_token })
  expect(log.body.data[0]).toMatchObject({ action: 'completeLogIn', outcome: 'done' })
})

test('a wrong password gives no challenge, and the errors do not reveal whether there is a second factor', async () => {
  const [one, other] = [await aPersonWithApp(), await system.aConfirmedPerson()]
  const wrong = await Promise.all(
    [one, other].map(person => system.logIn({ ...person, password: 'not this one' })),
  )
  expect(wrong[0]?.status).toBe(401)
  expect(wrong[0]?.body).toEqual(wrong[1]?.body)
})

test('the app counts from its first right code on; until then log-in has one step', async () => {
  const person = await system.aConfirmedPerson()
  const { body } = await system.post('authenticator-apps', { name: 'Phone' }, person)
  expect(body.uri).toMatch(/^otpauth:\/\/totp\/console\.example\.com:user-.*secret=[A-Z2-7]{32}/)
  const activate = (code: string, by = person) =>
    system.post(`authenticator-apps/${body.id}/activate`, { code }, by)
  expect((await activate(codeOf(body.secret, 5))).body.error).toMatchObject({
    code: 'wrong_second_factor',
    param: 'code',
  })
  expect((await system.logIn(person)).body.access_token).toBeDefined()
  expect((await activate(codeOf(body.secret), await system.aConfirmedPerson())).status).toBe(404)
  const activated = await activate(codeOf(body.secret))
  expect(activated.body).toMatchObject({ id: body.id, ended_sessions: 1 })
  expect(new Set(activated.body.recovery_codes).size).toBe(10)
  expect((await activate(codeOf(body.secret, 1))).status).toBe(404)
  expect((await system.logIn(person)).body.challenge).toBeDefined()
})

test('the first second factor ends the other sessions and keeps the one that added it', async () => {
  const person = await system.aConfirmedPerson()
  const other = await system.logIn(person)
  await system.addApp(person)
  expect([await statusOfMe(person.token), await statusOfMe(other.body.access_token)]).toEqual([200, 401])
  const refreshed = await system.post('refresh', { refresh_token: other.body.refresh_token })
  expect(refreshed.status).toBe(401)
})

test('log-ins that race with the first second factor leave no session without it', async () => {
  const person = await system.aConfirmedPerson()
  const { body } = await system.post('authenticator-apps', { name: 'Phone' }, person)
  const racing = Array.from({ length: 4 }, () => system.logIn(person))
  const activated = await system.post(
    `authenticator-apps/${body.id}/activate`,
    { code: codeOf(body.secret) },
    person,
  )
  expect(activated.status).toBe(200)
  for (const { body: raced } of await Promise.all(racing))
    if (raced.access_token) expect(await statusOfMe(raced.access_token)).toBe(401)
})

test('a code works once: not again, not for another challenge, not concurrently', async () => {
  const person = await aPersonWithApp()
  const code = codeOf(person.secret)
  const challenges = await Promise.all(Array.from({ length: 4 }, () => challengeOf(person)))
  const tries = await Promise.all(challenges.map(challenge => complete(challenge, { code })))
  expect(tries.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403])
  expect((await complete(await challengeOf(person), { code })).body.error.code).toBe('wrong_second_factor')
  const earlier = await complete(await challengeOf(person), { code: codeOf(person.secret, -1) })
  expect(earlier.status, 'a code of an earlier step').toBe(403)
})

test.each([
  [-3, 403],
  [1, 200],
  [3, 403],
])('the clock of the app may be off by one step: %i steps give %i', async (steps, status) => {
  const person = await aPersonWithApp()
  expect((await complete(await challengeOf(person), { code: codeOf(person.secret, steps) })).status).toBe(
    status,
  )
})

test('a challenge works once, and a failed proof leaves it valid', async () => {
  const person = await aPersonWithApp()
  const challenge = await challengeOf(person)
  const [wrong, right] = [codeOf(person.secret, 5), codeOf(person.secret)]
  expect((await complete(challenge, { code: wrong })).status).toBe(403)
  expect((await complete(challenge, { code: right })).status).toBe(200)
  await system.nextStep(person)
  expect((await complete(challenge, { code: right })).body.error).toMatchObject({
    code: 'challenge_refused',
    param: 'challenge_token',
  })
})

test('a challenge of one user is not completed with the code of another', async () => {
  const [one, other] = [await aPersonWithApp(), await aPersonWithApp()]
  const challenge = await challengeOf(one)
  expect((await complete(challenge, { code: codeOf(other.secret) })).status).toBe(403)
  expect((await complete(challenge, { recovery_code: other.recoveryCodes[0] })).status).toBe(403)
})

test('a challenge ends after five minutes, with a changed password, and if it is forged', async () => {
  const { sql } = system.context
  const person = await aPersonWithApp()
  const code = codeOf(person.secret)
  const old = await challengeOf(person)
  const [row] = await sql`
    update sign_in_challenges set expires_at = now() where id = ${old.slice(0, 36)}
    returning extract(epoch from expires_at - created_at)::int as left`
  expect(row?.left).toBeLessThan(300)
  expect((await complete(old, { code })).body.error.code).toBe('challenge_refused')

  const before = await challengeOf(person)
  const changed = { current_password: person.password, new_password: 'a new password' }
  expect((await system.post('change-password', changed, person)).status).toBe(200)
  expect((await complete(before, { code })).body.error.code).toBe('challenge_refused')

  const valid = await challengeOf({ ...person, password: 'a new password' })
  for (const forged of [
    `${valid.slice(0, -1)}x`,
    valid.slice(0, 36),
    `${valid.slice(0, 35)}${valid[35] === '0' ? '1' : '0'}${valid.slice(36)}`,
    '',
  ])
    expect((await complete(forged, { code })).body.error.code, forged).toBe('challenge_refused')
  expect((await complete(valid, { code })).status).toBe(200)
})

test('a recovery code works once and notifies the user; new codes replace the old ones', async () => {
  const person = await aPersonWithApp()
  const [first = '', second = ''] = person.recoveryCodes
  const tries = await Promise.all(
    [1, 2, 3].map(async () =>
      complete(await challengeOf(person), { recovery_code: first.toUpperCase().replaceAll('-', ' ') }),
    ),
  )
  expect(tries.map(({ status }) => status).sort()).toEqual([200, 403, 403])
  const token = tries.find(({ status }) => status === 200)?.body.access_token
  expect((await system.rest('GET', '/auth/status', { token })).body).toMatchObject({ recovery_codes_left: 9 })
  const renewed = await system.post('recovery-codes', undefined, { token })
  expect(renewed.body.recovery_codes).toHaveLength(10)
  expect((await complete(await challengeOf(person), { recovery_code: second })).status).toBe(403)
  expect(
    (await complete(await challengeOf(person), { recovery_code: renewed.body.recovery_codes[0] })).status,
  ).toBe(200)
  expect(await system.subjectsTo(person.email)).toEqual(
    expect.arrayContaining([
      'An authenticator app was added',
      'A recovery code was used',
      'Your recovery codes were replaced',
    ]),
  )
})

test('guesses of a code are limited, although each begins with the right password', async () => {
  const person = await aPersonWithApp()
  const guess = async (from: string) => {
    const { body } = await system.logIn(person, from)
    return (await complete(body.challenge.token, { code: '000000' }, from)).body.error.code
  }
  for (let turn = 0; turn < 5; turn++) expect(await guess('203.0.113.1')).toBe('wrong_second_factor')
  expect(await guess('203.0.113.1')).toBe('too_many_tries')
  // The limit of a user is not wider from many networks.
  expect(await guess('203.0.113.2')).toBe('too_many_tries')
  // Networks from which the user has logged in before have only their own limit, so guesses do not lock the user out.
  const proof = { code: codeOf(person.secret) }
  const known = await complete(await challengeOf(person), proof, person.address)
  expect(known.status).toBe(200)
})

test('the secret is sealed, and recovery codes are hashed', async () => {
  const { sql } = system.context
  const person = await aPersonWithApp()
  const rows = await sql<{ text: string }[]>`
    select f::text || c::text as text from second_factors f join recovery_codes c using (user_id) where user_id = ${person.userId}`
  expect(rows).toHaveLength(10)
  const hidden = [
    person.secret,
    ...person.recoveryCodes,
    ...person.recoveryCodes.map(code => code.replaceAll('-', '')),
  ]
  for (const text of hidden) {
    const hex = Buffer.from(text).toString('hex')
    expect(rows.filter(row => row.text.includes(text) || row.text.includes(hex))).toEqual([])
  }
})

// The last test: the control plane does not know the new master key.
test('a rotation of the master key keeps the secrets', async () => {
  const { sql, config } = system.context
  const person = await aPersonWithApp()
  const vault = openVault(new Map([['new', Buffer.alloc(32, 7).toString('base64')], ...config.masterKeys]))
  const column = sealedColumns.find(({ table }) => table === 'second_factors')!
  const { rewrapped, faulty } = await rewrapColumn({ sql, vault }, column, { batchRows: 5, onBatch() {} })
  expect([rewrapped > 5, faulty]).toEqual([true, []])
  const [row] = await sql<{ sealed: Uint8Array }[]>`
    select secret_sealed as sealed from second_factors where user_id = ${person.userId}`
  expect(vault.open(row!.sealed, associatedDataOfTotpSecret(person.userId, person.id))).toBe(person.secret)
  expect(Buffer.from(row!.sealed).subarray(0, vault.header.length)).toEqual(vault.header)
})

test('a second factor is renamed by its owner only, and still works', async () => {
  const [person, stranger] = [await aPersonWithApp(), await system.aConfirmedPerson()]
  const rename = (token: string, name: string) =>
    system.rest('PUT', `/auth/second-factors/${person.id}`, { token, body: { name } })
  const renamed = await rename(person.token, ' Old phone ')
  expect([renamed.status, renamed.body]).toMatchObject([
    200,
    { id: person.id, kind: 'totp', name: 'Old phone' },
  ])
  expect((await rename(stranger.token, 'Mine')).status).toBe(404)
  expect((await rename(person.token, ' ')).body.error).toMatchObject({
    code: 'validation_failed',
    param: 'name',
  })
  const { body } = await system.rest('GET', '/auth/second-factors', { token: person.token })
  expect(body.data).toMatchObject([{ id: person.id, name: 'Old phone' }])
  const challenge = await challengeOf(person)
  expect((await complete(challenge, { code: codeOf(person.secret) })).status).toBe(200)
})
