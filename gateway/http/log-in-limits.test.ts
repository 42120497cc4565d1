import { expect, test, vi } from 'vitest'
import { aControlPlane, type ControlPlane } from '../../test/harness/a-control-plane.ts'
import { forThisTest, perFile } from '../../test/harness/per-file.ts'

/** Three failures are allowed. */
const control = perFile(() => aStrictPlane())
/** One is: ten times as many come sooner. */
const stricter = perFile(() => aStrictPlane({ LOGIN_TRIES: '1' }))

/** The client's address comes from the header, as behind a proxy. */
function aStrictPlane(env: Record<string, string> = {}): Promise<ControlPlane> {
  return aControlPlane({ LOGIN_TRIES: '3', SIGN_UPS: '1000', TRUSTED_PROXIES: '127.0.0.1/32', ...env })
}

const aStrictPlaneForThisTest = async (env: Record<string, string>) => forThisTest(await aStrictPlane(env))

let addresses = 0
const anAddress = () => `203.0.113.${++addresses}`
const logIn = (plane: ControlPlane, email: string, password: string, address = anAddress()) =>
  plane.rest('POST', '/auth/log-in', { body: { email, password }, headers: { 'x-forwarded-for': address } })

/** A user with a confirmed address. Successes and known networks count only for confirmed addresses. */
async function anOwner(plane: ControlPlane) {
  const person = await plane.aPerson()
  await plane.context.sql`update users set email_confirmed_at = now() where email = ${person.email}`
  return person
}

async function failTimes(times: number, fail: (turn: number) => Promise<{ status: number }>): Promise<void> {
  for (let turn = 0; turn < times; turn++) expect((await fail(turn)).status).toBe(401)
}

async function refuseAfterThree(plane: ControlPlane): Promise<void> {
  const { email, password } = await plane.aPerson()
  const address = anAddress()
  await failTimes(3, () => logIn(plane, email, 'wrong password', address))
  const refused = await logIn(plane, email, password, address)
  expect(refused.status).toBe(429)
  expect(refused.body.error.code).toBe('too_many_tries')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(900)
}

test('after three failures an e-mail is refused from that address, even with the right password', async () => {
  await refuseAfterThree(control)
})

test('the owner at another address and other users at this address can still log in', async () => {
  const [victim, neighbour] = [await control.aPerson(), await control.aPerson()]
  const address = anAddress()
  await failTimes(3, () => logIn(control, victim.email, 'wrong password', address))
  // Refused tries use up no wider limit.
  for (let tries = 0; tries < 40; tries++)
    expect((await logIn(control, victim.email, 'wrong password', address)).status).toBe(429)
  expect((await logIn(control, victim.email, victim.password)).status).toBe(200)
  expect((await logIn(control, neighbour.email, neighbour.password, address)).status).toBe(200)
})

test('after ten times as many failures, an e-mail is refused from networks that its owner has never used', async () => {
  const { email, password } = await stricter.aPerson()
  await failTimes(10, () => logIn(stricter, email, 'wrong password'))
  expect((await logIn(stricter, email, password)).status).toBe(429)
  const other = await stricter.aPerson()
  expect((await logIn(stricter, other.email, other.password)).status).toBe(200)
})

test('a stranger cannot lock out an owner, who can log in from known networks', async () => {
  const { email, password, refreshToken } = await anOwner(stricter) // signed up at 127.0.0.1
  const [atHome, onTheWay, unknown] = [anAddress(), anAddress(), anAddress()]
  expect((await logIn(stricter, email, password, atHome)).status).toBe(200)
  const refresh = { body: { refresh_token: refreshToken }, headers: { 'x-forwarded-for': onTheWay } }
  expect((await stricter.rest('POST', '/auth/refresh', refresh)).status).toBe(200)
  await failTimes(10, () => logIn(stricter, email, 'wrong password'))
  for (let turn = 0; turn < 10; turn++)
    expect((await logIn(stricter, email, 'wrong password')).status).toBe(429)
  for (const address of [atHome, onTheWay, '127.0.0.1']) {
    expect((await logIn(stricter, email, password, address)).status, address).toBe(200)
    await failTimes(1, () => logIn(stricter, email, 'wrong password', address))
    expect((await logIn(stricter, email, password, address)).status, address).toBe(429) // its pair still holds
  }
  expect((await logIn(stricter, email, password, unknown)).status).toBe(429)
})

test('only the last 20 networks of a user are stored, as hashes', async () => {
  const plane = await aStrictPlaneForThisTest({ LOGIN_TRIES: '100' })
  const { email, password } = await plane.aPerson()
  for (let turn = 0; turn < 25; turn++) expect((await logIn(plane, email, password)).status).toBe(200)
  const kept = await plane.context.sql`select network, last_at from known_networks order by last_at`
  expect(kept).toHaveLength(20)
  expect(kept.map(({ network }) => network.length)).toEqual(Array(20).fill(32))
})

test('after ten times as many failures, an address is refused for every e-mail, and other addresses are not', async () => {
  const { email, password } = await stricter.aPerson()
  const address = anAddress()
  await failTimes(10, turn => logIn(stricter, `nobody-${turn}@example.com`, 'wrong', address))
  expect((await logIn(stricter, email, password, address)).status).toBe(429)
  expect((await logIn(stricter, email, password)).status).toBe(200)
})

test('the correct password resets the count of failures', async () => {
  const { email, password } = await anOwner(control)
  const address = anAddress()
  for (let round = 0; round < 3; round++) {
    await failTimes(2, () => logIn(control, email, 'wrong password', address))
    expect((await logIn(control, email, password, address)).status).toBe(200)
  }
})

test('a stranger who signs up with an address gets no more guesses at the password of its owner', async () => {
  const { email } = await anOwner(stricter)
  const [address, elsewhere] = [anAddress(), anAddress()]
  const stranger = { email, password: 'of the stranger' }
  const signUp = { body: stranger, headers: { 'x-forwarded-for': address } }
  expect((await stricter.rest('POST', '/auth/sign-up', signUp)).status).toBe(201)
  await failTimes(1, () => logIn(stricter, email, 'a guess', address))
  expect((await logIn(stricter, email, 'another guess', address)).status).toBe(429)
  await failTimes(9, () => logIn(stricter, email, 'a guess'))
  expect((await logIn(stricter, email, 'a guess', elsewhere)).status).toBe(429)

  const { email: other } = await anOwner(control)
  await control.rest('POST', '/auth/sign-up', { ...signUp, body: { ...stranger, email: other } })
  await failTimes(2, () => logIn(control, other, 'a guess', address))
  expect((await logIn(control, other, stranger.password, address)).status).toBe(200)
  await failTimes(1, () => logIn(control, other, 'a guess', address))
  expect((await logIn(control, other, 'a guess', address)).status).toBe(429)
})

test('successes do not count', async () => {
  const { email, password } = await control.aPerson()
  const address = anAddress()
  for (let tries = 0; tries < 6; tries++)
    expect((await logIn(control, email, password, address)).status).toBe(200)
})

test('a header from an untrusted peer does not change the address', async () => {
  const plane = await aStrictPlaneForThisTest({ TRUSTED_PROXIES: '' })
  const tries = Array.from({ length: 4 }, () => logIn(plane, 'nobody@example.com', 'wrong'))
  const statuses = (await Promise.all(tries)).map(({ status }) => status)
  expect(statuses.filter(status => status === 429)).toHaveLength(1)
})

test('each alias in a document counts as an attempt', async () => {
  const { email, password } = await control.aPerson()
  const aTry = (at: number) =>
    `try${at}: logIn(input: { email: "${email}", password: "guess ${at}" }) { session { accessToken } }`
  const fields = Array.from({ length: 8 }, (_, index) => aTry(index))
  const problems: unknown[] = []
  for (let document = 0; document < 4; document++) {
    const { errors } = await control.graph(`mutation { ${fields.join(' ')} }`)
    problems.push(...(errors?.map(({ extensions }) => extensions.problem) ?? []))
  }
  expect(problems).toEqual([...Array(3).fill('wrong_credentials'), ...Array(29).fill('too_many_tries')])
  expect((await logIn(control, email, password, '127.0.0.1')).status).toBe(429)
})

test('a too long e-mail is refused before it is counted and leaves nothing in Redis', async () => {
  const address = anAddress()
  await vi.waitUntil(() => control.context.redis.status === 'ready')
  const kept = async () => (await control.context.redis.keys(`${control.config.redisPrefix}tries:*`)).length
  const before = await kept()
  for (const email of ['x'.repeat(900_000), `${'x'.repeat(243)}@example.com`]) {
    const { status, body } = await logIn(control, email, 'wrong', address)
    expect([status, body.error.code, body.error.param]).toEqual([422, 'validation_failed', 'email'])
  }
  expect(await kept()).toBe(before)
  await failTimes(1, () => logIn(control, `${'x'.repeat(242)}@example.com`, 'wrong', address))
  expect(await kept()).toBe(before + 3)
})

test('an exhausted address stores no further e-mails', async () => {
  const address = anAddress()
  const spray = (turn: number) => logIn(stricter, `nobody-${turn}@example.com`, 'wrong', address)
  await failTimes(10, spray)
  const kept = async () => (await stricter.context.redis.keys(`${stricter.config.redisPrefix}tries:*`)).length
  const before = await kept()
  for (let turn = 10; turn < 40; turn++) expect((await spray(turn)).status).toBe(429)
  expect(await kept()).toBe(before)
})

test('the addresses of one IPv6 network count as one address', async () => {
  const { email, password } = await control.aPerson()
  await failTimes(3, turn => logIn(control, email, 'wrong', `2001:db8:1:2:${turn}::${turn}`))
  expect((await logIn(control, email, password, '2001:db8:1:2:ffff::1')).status).toBe(429)
  expect((await logIn(control, email, password, '2001:db8:1:3::1')).status).toBe(200)
})

test('sign-ups per address are limited; other addresses and log-ins are not affected', async () => {
  const plane = await aStrictPlaneForThisTest({ SIGN_UPS: '3', LOGIN_TRIES: '100' })
  const password = 'correct horse'
  let people = 0
  const signUp = (address: string, email = `founder-${++people}@example.com`) =>
    plane.rest('POST', '/auth/sign-up', {
      body: { email, password },
      headers: { 'x-forwarded-for': address },
    })
  const statuses = async (address: (turn: number) => string) => {
    const seen: number[] = []
    for (let turn = 0; turn < 5; turn++) seen.push((await signUp(address(turn))).status)
    return seen
  }
  const [first, second] = [anAddress(), anAddress()]
  expect(await statuses(() => first)).toEqual([201, 201, 201, 429, 429])
  expect(await statuses(turn => `2001:db8:7:${turn}::1`)).toEqual([201, 201, 201, 429, 429])
  const refused = await signUp(first)
  expect(refused.body.error.code).toBe('too_many_tries')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
  expect((await logIn(plane, 'founder-1@example.com', password, first)).status).toBe(200)
  expect((await signUp(second, 'founder-1@example.com')).status).toBe(201) // counts as well
  expect((await statuses(() => second)).slice(0, 3)).toEqual([201, 201, 429])
})

test('without Redis, each process counts separately', async () => {
  await refuseAfterThree(await aStrictPlaneForThisTest({ REDIS_URL: 'redis://127.0.0.1:1' }))
})
