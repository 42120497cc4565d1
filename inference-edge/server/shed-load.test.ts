import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { aConfig } from '../../test/harness/a-context.ts'
import { adjust, isCrowded, type Load, mustRefuse, openLoad, whileWaiting } from './shed-load.ts'

let load: Load
beforeEach(() => {
  load = openLoad()
  load.close() // the test says how late it is
})
afterEach(() => load.close())

const config = aConfig({ MAX_IN_FLIGHT: '2000' })

/** Reports an event loop that is late by `lateMs`, `times` times. */
function isLate(times: number, lateMs: number): void {
  for (let turn = 0; turn < times; turn++) adjust(load, lateMs)
}

/** Sends requests; admitted ones remain in flight. Returns the number of admitted requests. */
function letInOf(requests: number): number {
  const before = load.inFlight
  for (let asked = 0; asked < requests; asked++) if (!mustRefuse(load, config)) load.inFlight += 1
  return load.inFlight - before
}

test('a few hundred at once are let in, and those beyond are refused at once', () => {
  expect(letInOf(400)).toBe(400)
  expect(letInOf(1_000)).toBe(112)
})

test('an event loop that was late for a moment refuses nobody, however late it was', () => {
  isLate(1, 980)
  isLate(2, 50)
  expect(letInOf(300)).toBe(300)
})

test('one that stays late lets fewer in, but never less than keep it busy, and more again once it keeps up', () => {
  isLate(100, 70)
  expect(letInOf(1_000)).toBe(128)
  load.inFlight = 0
  isLate(60, 0)
  expect(letInOf(1_000)).toBeGreaterThan(500)
})

test('where stores are slow and the event loop keeps up, more and more are let in, up to MAX_IN_FLIGHT', () => {
  for (let turn = 0; turn < 100; turn++) {
    letInOf(100)
    isLate(1, 0)
  }
  expect(load.inFlight).toBe(2_000)
})

test('who waits to begin is counted', () => {
  load.queued = 412
  expect(letInOf(200)).toBe(100)
})

test('it is crowded where many are at work, and for a second after a refusal', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  letInOf(255)
  expect(isCrowded(load)).toBe(false)
  letInOf(1_000)
  expect(isCrowded(load)).toBe(true)
  load.inFlight = 0
  vi.advanceTimersByTime(990)
  expect(isCrowded(load)).toBe(true)
  vi.advanceTimersByTime(10)
  expect(isCrowded(load)).toBe(false)
})

test('what waits for its vendor or its client takes no place of those at work, until it goes on', async () => {
  const waits = Array.from({ length: 900 }, () => Promise.withResolvers<void>())
  const waiting = waits.map(({ promise }) => whileWaiting(load, promise))
  load.inFlight = 900
  expect(letInOf(1_000)).toBe(512)
  for (const { resolve } of waits) resolve()
  await Promise.all(waiting)
  load.inFlight = 900
  expect(letInOf(1_000)).toBe(0)
})

test('three times what can be served, for a minute: goodput and lateness settle', () => {
  const perMs = 5
  const steps = 4 // turns of the event loop per answer
  const refusalCost = 0.1 // as a share of an answer
  const underWay = Array.from({ length: steps - 1 }, () => 0)
  const from = 2_000
  let [served, latest] = [0, 0]
  for (let turnMs = 5, now = 0, sinceMs = 0; now < 60_000; now += turnMs) {
    const asked = Math.round(3 * perMs * turnMs)
    const letIn = letInOf(asked)
    underWay.unshift(letIn)
    const stepsTaken = underWay.reduce((sum, count) => sum + count, 0)
    const answered = underWay.pop()!
    load.inFlight -= answered
    turnMs = Math.max(1, (stepsTaken / steps + (asked - letIn) * refusalCost) / perMs)
    sinceMs += turnMs
    if (sinceMs >= 20) {
      adjust(load, sinceMs - 20)
      sinceMs = 0
    }
    if (now < from) continue
    served += answered
    latest = Math.max(latest, turnMs)
  }
  expect(served / (60_000 - from) / perMs).toBeGreaterThan(0.7)
  expect(latest).toBeLessThan(60)
})
