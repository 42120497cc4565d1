import { describe, expect, test } from 'vitest'
import { type CallEnd, openBreakers } from './breaker.ts'
import { openCircuits } from './circuit.ts'

function aBreaker() {
  let now = 1_000_000
  let wall = 1_790_000_000_000
  const { acquire, record } = openBreakers({ now: () => wall, monotonic: () => now })
  const acquireFor = (credential = 'a', accountId?: string) => acquire({ credential, accountId })
  return {
    acquire: acquireFor,
    record,
    /** Calls one after the other, all let through. */
    calls(count: number, end: CallEnd, credential = 'a', accountId?: string) {
      for (let call = 0; call < count; call++) record(acquireFor(credential, accountId), end)
    },
    pass(ms: number) {
      now += ms
    },
    setWallClock(ms: number) {
      wall += ms
    },
    waitMs: (credential = 'a', accountId?: string) => acquireFor(credential, accountId).waitMs,
  }
}

/** Open, and its first pause over. */
function aBreakerOnTrial() {
  const breaker = aBreaker()
  breaker.calls(10, 'failed')
  breaker.pass(1_000)
  return { ...breaker, trial: breaker.acquire('a') }
}

test('nine failures leave it closed, the tenth opens it for a second', () => {
  const breaker = aBreaker()
  breaker.calls(9, 'failed')
  expect(breaker.waitMs()).toBe(0)
  breaker.calls(1, 'failed')
  expect(breaker.waitMs()).toBe(1_000)
})

test("one credential's open breaker leaves the others alone", () => {
  const breaker = aBreaker()
  breaker.calls(10, 'failed', 'a')
  expect([breaker.waitMs('a'), breaker.waitMs('b')]).toEqual([1_000, 0])
})

test('failures among more successes open nothing', () => {
  const breaker = aBreaker()
  breaker.calls(21, 'succeeded')
  breaker.calls(20, 'failed')
  expect(breaker.waitMs()).toBe(0)
})

test('calls that are not counted hide no failure: it opens among calls whose clients did not wait', () => {
  const breaker = aBreaker()
  breaker.calls(50, 'not-counted')
  breaker.calls(10, 'failed')
  expect(breaker.waitMs()).toBe(1_000)
})

test('calls that are not counted open nothing', () => {
  const breaker = aBreaker()
  breaker.calls(50, 'not-counted')
  expect(breaker.waitMs()).toBe(0)
})

test('old failures are forgotten', () => {
  const breaker = aBreaker()
  breaker.calls(9, 'failed')
  breaker.pass(10_001)
  breaker.calls(9, 'failed')
  expect(breaker.waitMs()).toBe(0)
})

test('calls that were under way when it opened do not keep it open for longer', () => {
  const breaker = aBreaker()
  const underWay = Array.from({ length: 50 }, () => breaker.acquire('a'))
  for (const permit of underWay) breaker.record(permit, 'failed')
  expect(breaker.waitMs()).toBe(1_000)
  const late = aBreakerOnTrial()
  late.record({ ...late.trial, isTrial: false }, 'succeeded')
  expect(late.acquire()).toMatchObject({ isTrial: true })
})

test('eight trials are admitted at a time; the success of one closes the breaker', () => {
  const { trial, ...breaker } = aBreakerOnTrial()
  expect(trial).toMatchObject({ waitMs: 0, isTrial: true })
  for (let other = 1; other < 8; other++)
    expect(breaker.acquire()).toMatchObject({ waitMs: 0, isTrial: true })
  expect(breaker.waitMs()).toBeGreaterThan(0)
  breaker.record(trial, 'succeeded')
  expect([breaker.waitMs(), breaker.waitMs()]).toEqual([0, 0])
  breaker.calls(9, 'failed') // as if it had never been open
  expect(breaker.waitMs()).toBe(0)
})

test('each trial that fails doubles the pause, up to half a minute', () => {
  let { trial, ...breaker } = aBreakerOnTrial()
  const pauses = Array.from({ length: 7 }, () => {
    breaker.record(trial, 'failed')
    const waitMs = breaker.waitMs()
    breaker.pass(waitMs)
    trial = breaker.acquire('a')
    return waitMs
  })
  expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
})

test('trials that fail together double the pause once', () => {
  const { trial, ...breaker } = aBreakerOnTrial()
  const burst = [trial, ...Array.from({ length: 7 }, () => breaker.acquire())]
  for (const one of burst) breaker.record(one, 'failed')
  expect(breaker.waitMs()).toBe(2_000)
})

test('a trial that never reached the vendor leaves it open, and its place to the next one', () => {
  const { trial, ...breaker } = aBreakerOnTrial()
  breaker.record(trial, 'not-counted')
  const next = breaker.acquire('a')
  expect(next).toMatchObject({ waitMs: 0, isTrial: true })
  breaker.record(next, 'failed')
  expect(breaker.waitMs()).toBe(2_000)
})

test('the wall clock, set back or ahead by an hour, changes nothing', () => {
  const breaker = aBreaker()
  breaker.calls(10, 'failed')
  breaker.setWallClock(-3_600_000)
  expect(breaker.waitMs()).toBe(1_000)
  breaker.setWallClock(7_200_000)
  expect(breaker.waitMs()).toBe(1_000)
  breaker.pass(1_000)
  breaker.record(breaker.acquire(), 'succeeded')
  expect(breaker.waitMs()).toBe(0)
})

describe('a credential that accounts share', () => {
  const accounts = Array.from({ length: 6 }, (_, index) => `account-${index}`)
  const shared = 'vendor_a platform'

  /** Each of these accounts fails ten times. */
  function failing(...failed: string[]) {
    const breaker = aBreaker()
    for (const account of failed) breaker.calls(10, 'failed', shared, account)
    return breaker
  }

  test('one account fails and fails: it waits, nobody else does', () => {
    const breaker = failing('mallory')
    breaker.calls(1_000, 'failed', shared, 'mallory')
    expect(breaker.waitMs(shared, 'mallory')).toBe(1_000)
    expect(accounts.map(account => breaker.waitMs(shared, account))).toEqual(accounts.map(() => 0))
  })

  test('three accounts fail and nobody succeeds: all wait', () => {
    const breaker = failing('one', 'two', 'three')
    expect(breaker.waitMs(shared, 'four')).toBe(1_000)
    expect(breaker.waitMs('vendor_b platform', 'four')).toBe(0)
  })

  test('three fail while more succeed: the others go on', () => {
    const breaker = aBreaker()
    for (const account of accounts) breaker.calls(1, 'succeeded', shared, account)
    for (const account of ['one', 'two', 'three']) breaker.calls(10, 'failed', shared, account)
    expect(breaker.waitMs(shared, accounts[0])).toBe(0)
  })

  test('accounts that called long ago have no say', () => {
    const breaker = aBreaker()
    for (const account of accounts) breaker.calls(1, 'succeeded', shared, account)
    breaker.pass(20_001)
    for (const account of ['one', 'two', 'three']) breaker.calls(10, 'failed', shared, account)
    expect(breaker.waitMs(shared, accounts[0])).toBe(1_000)
  })

  test('a trial by one account that fails again and again neither lengthens the pause nor takes their turn', () => {
    const breaker = failing('one', 'two', 'three')
    breaker.pass(1_000)
    breaker.record(breaker.acquire(shared, 'mallory'), 'failed')
    for (let round = 0; round < 5; round++) {
      breaker.pass(2_000)
      expect(breaker.waitMs(shared, 'mallory')).toBeGreaterThan(0)
      breaker.pass(2_000)
      breaker.record(breaker.acquire(shared, 'mallory'), 'failed')
    }
    breaker.pass(2_000)
    const trial = breaker.acquire(shared, 'honest')
    expect(trial).toMatchObject({ waitMs: 0, isSharedTrial: true })
    breaker.record(trial, 'succeeded')
    expect(accounts.map(account => breaker.waitMs(shared, account))).toEqual(accounts.map(() => 0))
  })

  test('trials that hang keep others from theirs for ten seconds at most', () => {
    const breaker = failing('one', 'two', 'three')
    breaker.pass(1_000)
    for (let trial = 0; trial < 8; trial++)
      expect(breaker.acquire(shared, 'mallory')).toMatchObject({ isSharedTrial: true })
    expect(breaker.waitMs(shared, 'honest')).toBeGreaterThan(0)
    breaker.pass(10_000)
    expect(breaker.acquire(shared, 'honest')).toMatchObject({ waitMs: 0, isSharedTrial: true })
  })

  test('what is remembered is bounded, whoever calls', () => {
    const circuits = openCircuits(100)
    for (let index = 0; index < 1_000; index++) circuits.get(`account-${index}`, 0)
    expect(circuits.size).toBe(100)
  })
})
