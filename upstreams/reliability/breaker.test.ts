import { expect, test } from 'vitest'
import { type CallEnd, openBreakers } from './breaker.ts'

function aBreaker() {
  let now = 1_000_000
  const { ask, tell } = openBreakers({ now: () => now })
  return {
    ask,
    tell,
    /** Calls one after the other, all let through. */
    calls(count: number, end: CallEnd, name = 'a') {
      for (let call = 0; call < count; call++) tell(ask(name), end)
    },
    pass(ms: number) {
      now += ms
    },
    waitMs: (name = 'a') => ask(name).waitMs,
  }
}

/** Open, and its first pause over. */
function aBreakerOnTrial() {
  const breaker = aBreaker()
  breaker.calls(10, 'failed')
  breaker.pass(1_000)
  return { ...breaker, trial: breaker.ask('a') }
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

test('what tells nothing hides no failure: it opens among calls whose clients did not wait', () => {
  const breaker = aBreaker()
  breaker.calls(50, 'untold')
  breaker.calls(10, 'failed')
  expect(breaker.waitMs()).toBe(1_000)
})

test('what tells nothing opens nothing', () => {
  const breaker = aBreaker()
  breaker.calls(50, 'untold')
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
  const underWay = Array.from({ length: 50 }, () => breaker.ask('a'))
  for (const leave of underWay) breaker.tell(leave, 'failed')
  expect(breaker.waitMs()).toBe(1_000)
  const late = aBreakerOnTrial()
  late.tell({ ...late.trial, isTrial: false }, 'succeeded')
  expect(late.waitMs()).toBeGreaterThan(0)
})

test('one trial is let through at a time; its success closes the breaker', () => {
  const { trial, ...breaker } = aBreakerOnTrial()
  expect(trial).toMatchObject({ waitMs: 0, isTrial: true })
  expect(breaker.waitMs()).toBeGreaterThan(0)
  breaker.tell(trial, 'succeeded')
  expect([breaker.waitMs(), breaker.waitMs()]).toEqual([0, 0])
  breaker.calls(9, 'failed') // as if it had never been open
  expect(breaker.waitMs()).toBe(0)
})

test('each trial that fails doubles the pause, up to half a minute', () => {
  let { trial, ...breaker } = aBreakerOnTrial()
  const pauses = Array.from({ length: 7 }, () => {
    breaker.tell(trial, 'failed')
    const waitMs = breaker.waitMs()
    breaker.pass(waitMs)
    trial = breaker.ask('a')
    return waitMs
  })
  expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
})

test('a trial that never reached the vendor leaves it open, and its place to the next one', () => {
  const { trial, ...breaker } = aBreakerOnTrial()
  breaker.tell(trial, 'untold')
  const next = breaker.ask('a')
  expect(next).toMatchObject({ waitMs: 0, isTrial: true })
  expect(breaker.waitMs()).toBeGreaterThan(0)
  breaker.tell(next, 'failed')
  expect(breaker.waitMs()).toBe(2_000)
})
