import { expect, test } from 'vitest'
import { openBreakers } from './breaker.ts'

function aBreaker() {
  let now = 1_000_000
  const breakers = openBreakers({ now: () => now })
  const pass = (ms: number) => {
    now += ms
  }
  return { ...breakers, pass }
}

function times(count: number, act: () => void): void {
  for (let turn = 0; turn < count; turn++) act()
}

test('nine failures leave it closed, the tenth opens it for a second', () => {
  const breaker = aBreaker()
  times(9, () => breaker.failed('a'))
  expect(breaker.waitMs('a')).toBe(0)
  breaker.failed('a')
  expect(breaker.waitMs('a')).toBe(1_000)
  expect(breaker.waitMs('b')).toBe(0)
})

test('failures among more successes open nothing', () => {
  const breaker = aBreaker()
  times(21, () => breaker.succeeded('a'))
  times(20, () => breaker.failed('a'))
  expect(breaker.waitMs('a')).toBe(0)
})

test('old failures are forgotten', () => {
  const breaker = aBreaker()
  times(9, () => breaker.failed('a'))
  breaker.pass(10_001)
  times(9, () => breaker.failed('a'))
  expect(breaker.waitMs('a')).toBe(0)
})

test('one probe is let through; its failure doubles the pause, its success closes', () => {
  const breaker = aBreaker()
  times(10, () => breaker.failed('a'))
  breaker.pass(1_000)
  expect(breaker.waitMs('a')).toBe(0)
  expect(breaker.waitMs('a')).toBeGreaterThan(0)
  breaker.failed('a')
  expect(breaker.waitMs('a')).toBe(2_000)
  breaker.pass(2_000)
  expect(breaker.waitMs('a')).toBe(0)
  breaker.succeeded('a')
  expect([breaker.waitMs('a'), breaker.waitMs('a')]).toEqual([0, 0])
})
