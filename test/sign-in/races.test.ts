import { expect, test } from 'vitest'
import { resetSecondFactors } from '../../domain/second-factors/remove-factor.ts'
import { perFile } from '../harness/per-file.ts'
import { whileHeld } from '../harness/postgres/while-held.ts'
import { aSignInSystem, codeOf } from './a-sign-in-system.ts'

const system = perFile(() => aSignInSystem())

async function aChallengedPerson() {
  const person = await system.aConfirmedPerson()
  const { secret } = await system.addApp(person)
  const challenge_token: string = (await system.logIn(person)).body.challenge.token
  const complete = () => system.post('complete-log-in', { challenge_token, code: codeOf(secret) })
  const reset = () => resetSecondFactors(system.context, { userId: person.userId })
  return { ...person, complete, reset }
}

const sessionsOf = async (userId: string) => {
  const [row] = await system.context.sql`
    select count(*)::int as count from refresh_tokens where user_id = ${userId} and used_at is null and revoked_at is null`
  return row?.count
}

test('a reset of the second factors that waits for the end of a log-in ends its session', async () => {
  const { email, userId, complete, reset } = await aChallengedPerson()
  const [completed] = await whileHeld<unknown>(system.context.sql, email, [complete, reset])
  expect(completed).toMatchObject({ status: 200 })
  expect(await sessionsOf(userId)).toBe(0)
})

test('a log-in that waits for a reset of the second factors begins no session', async () => {
  const { email, userId, complete, reset } = await aChallengedPerson()
  const [, completed] = await whileHeld<unknown>(system.context.sql, email, [reset, complete])
  expect(completed).toMatchObject({ status: 400, body: { error: { code: 'challenge_refused' } } })
  expect(await sessionsOf(userId)).toBe(0)
})

test('a log-in with the previous address that waits for the change of the address begins no session', async () => {
  const person = await system.aConfirmedPerson()
  await system.post('request-email-change', { email: 'raced@example.org' }, person)
  const [token] = await system.tokensTo('raced@example.org')
  const change = () => system.post('change-email', { token }, person)
  const [changed, loggedIn] = await whileHeld(system.context.sql, person.email, [
    change,
    () => system.logIn(person),
  ])
  expect([changed?.status, loggedIn?.status]).toEqual([200, 401])
  expect(await sessionsOf(person.userId)).toBe(1)
})
