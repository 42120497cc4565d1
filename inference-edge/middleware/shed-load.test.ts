import { afterEach, beforeEach, expect, test } from 'vitest'
import { aConfig } from '../../test/harness/a-context.ts'
import { adjust, type Load, mustRefuse, openLoad } from './shed-load.ts'

let load: Load
beforeEach(() => {
  load = openLoad()
  load.close() // the test says how late it is
  load.inFlight = 500
})
afterEach(() => load.close())

const config = aConfig({ MAX_IN_FLIGHT: '1000' })

/** The event loop comes round `times` times, each after so many milliseconds. */
function comesRound(times: number, elapsedMs: number): void {
  for (let turn = 0; turn < times; turn++) adjust(load, elapsedMs)
}

function refusedOf(requests: number): number {
  return Array.from({ length: requests }, () => mustRefuse(load, config)).filter(Boolean).length
}

test('an event loop that is late for a moment refuses nobody, one that is too late everybody', () => {
  comesRound(1, 250)
  comesRound(10, 21)
  comesRound(4, 70)
  expect(refusedOf(100)).toBe(0)
  comesRound(1, 1_000)
  expect(refusedOf(100)).toBe(100)
})

test('one that stays late refuses an even part, more and more of them, and none any more once it keeps up', () => {
  comesRound(10, 90)
  const some = refusedOf(1_000)
  expect(some).toBeGreaterThan(50)
  comesRound(10, 90)
  const more = refusedOf(1_000)
  expect(more).toBeGreaterThan(some + 100)
  expect(Math.abs(refusedOf(100) - more / 10)).toBeLessThanOrEqual(1)
  comesRound(100, 20)
  expect(refusedOf(100)).toBe(0)
})

test('with few requests in flight none is refused for a late event loop, beyond MAX_IN_FLIGHT all are', () => {
  comesRound(50, 90)
  comesRound(1, 1_000) // one large body of somebody, say
  load.inFlight = 50
  expect(refusedOf(100)).toBe(0)
  load.inFlight = 1_000
  expect(refusedOf(100)).toBe(100)
})

test('three times what can be served, for a minute: what is let in settles near it, and the lateness with it', () => {
  const perMs = 5
  let waiting = 0
  let admitted = 0
  let lateness = 0
  for (let elapsedMs = 20, now = 0; now < 60_000; now += elapsedMs) {
    adjust(load, elapsedMs)
    const offered = Math.round(3 * perMs * elapsedMs)
    const refused = refusedOf(offered)
    waiting += offered - refused
    // A turn of the loop serves what waits, as far as a turn goes; a refusal costs a tenth of an answer.
    const served = Math.min(waiting, 80 * perMs)
    waiting -= served
    elapsedMs = Math.max(20, served / perMs + refused / perMs / 10)
    load.inFlight = 128 + waiting
    if (now < 10_000) continue
    admitted += served
    lateness = Math.max(lateness, elapsedMs)
  }
  expect(admitted / 50_000 / perMs).toBeGreaterThan(0.7)
  expect(lateness).toBeLessThan(200)
})
