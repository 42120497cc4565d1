import { expect, test } from 'vitest'
import { openRetryBudget } from './retry-budget.ts'

/** Requests that each would be tried again; answers how many were. */
function retriesOf(budget: ReturnType<typeof openRetryBudget>, requests: number): number {
  let retries = 0
  for (let request = 0; request < requests; request++) {
    budget.earn()
    if (budget.spend()) retries += 1
  }
  return retries
}

test('a process starts with a few retries', () => {
  const budget = openRetryBudget()
  expect([budget.spend(), budget.spend(), budget.spend(), budget.spend()]).toEqual([true, true, true, false])
})

test('after those, one retry in five requests', () => {
  const budget = openRetryBudget()
  const first = retriesOf(budget, 100)
  expect(first).toBeGreaterThan(20)
  expect(first).toBeLessThanOrEqual(23)
  const later = retriesOf(budget, 100)
  expect(later).toBeGreaterThanOrEqual(19)
  expect(later).toBeLessThanOrEqual(20)
})

test('what was saved while all went well is bounded: a vendor that falls ill is not met by a flood', () => {
  const budget = openRetryBudget()
  for (let request = 0; request < 10_000; request++) budget.earn()
  let retries = 0
  while (budget.spend()) retries += 1
  expect(retries).toBe(20)
})

test('an account that always fails spends what it has earned, and nothing of the others', () => {
  const budget = openRetryBudget()
  let retries = 0
  for (let request = 0; request < 200; request++) {
    budget.earn('honest')
    budget.earn('mallory')
    while (budget.spend('mallory')) retries += 1
  }
  expect(retries).toBeLessThanOrEqual(43)
  expect(budget.spend('honest')).toBe(true)
})
