import { expect, test } from 'vitest'
import { Problem } from '../../schema/errors.ts'
import { aManagedSystem } from '../../test/harness/a-management-context.ts'
import { checkCredentials } from './log-in.ts'
import { openPasswords } from './passwords.ts'
import { openTryCounter } from './try-counter.ts'

test('a storm of passwords from one network is cut off, and delays a neighbour by one hash', async () => {
  const passwords = openPasswords()
  const ended: string[] = []
  const check = (address: string) =>
    passwords.check('a password', undefined, address).then(
      () => void ended.push(address),
      error => error.errorName,
    )
  const storm = Array.from({ length: 60 }, () => check('203.0.113.1'))
  const neighbour = check('203.0.113.2')
  expect((await Promise.all(storm)).filter(refusal => refusal === 'too_many_tries').length).toBeGreaterThan(
    30,
  )
  expect(await neighbour).toBeUndefined()
  expect(ended.length - ended.indexOf('203.0.113.2')).toBeGreaterThan(10)
})

test('a log-in that is refused because too many passwords wait counts as no try', async () => {
  const system = await aManagedSystem({ LOGIN_TRIES: '1' })
  const { context, config } = system
  const tries = openTryCounter({ ...context, prefix: config.redisPrefix, windowSeconds: 60 })
  const free = openPasswords()
  const busy = { ...free, check: () => Promise.reject(new Problem('too_many_tries')) }
  const who = { email: 'ada@example.com', password: 'a password', address: '203.0.113.1' }
  const logInBy = (passwords: typeof free) =>
    checkCredentials({ ...system.management(), tries, passwords }, who).catch(error => error.errorName)

  for (let turn = 0; turn < 3; turn++) expect(await logInBy(busy)).toBe('too_many_tries')
  expect(await logInBy(free)).toBe('wrong_credentials')
  await system.close()
})
