import { expect, test } from 'vitest'
import { groupAlike, resultsOf } from './rate-batch.ts'
import { answerLength } from './rate-script.ts'
import type { RateRequest } from './window.ts'

const limits = { burst: 20, burstWindowMs: 10_000, rpm: null, tph: 100, tpd: null, account: null }
const one: RateRequest = { accountId: 'account', keyId: 'one', limits, requests: 1, tokens: 7 }
const other: RateRequest = { ...one, keyId: 'other' }

test('requests of a key that count alike are one entry, also where another key comes between them', () => {
  expect(turnsOf([one, other, one, { ...one, limits: { ...limits } }, other])).toEqual([
    [0, 2, 3],
    [1, 4],
  ])
})

test('nobody passes by a request of the same key that came before', () => {
  expect(turnsOf([one, { ...one, tokens: 8 }, one])).toEqual([[0], [1], [2]])
  expect(turnsOf([one, { ...one, requests: 0 }, one])).toEqual([[0], [1], [2]])
})

test('limits, accounts and tokens that differ are entries of their own', () => {
  const others = [
    { ...one, accountId: 'another' },
    ...Object.keys(limits).map(name => ({ ...one, limits: { ...limits, [name]: 1 } })),
  ]
  for (const unlike of others) expect(turnsOf([one, unlike])).toEqual([[0], [1]])
})

test('tokens do not matter where no window counts them', () => {
  const counted = { ...one, limits: { ...limits, tph: null } }
  expect(turnsOf([counted, { ...counted, tokens: 8 }])).toEqual([[0, 1]])
})

test('an answer that does not fit what was asked is none', () => {
  const groups = groupAlike([one, other])
  const whole = Array<number>(2 * answerLength + 1).fill(0)
  expect(resultsOf(groups, whole)).toHaveLength(2)
  for (const answer of [null, 'OK', [], whole.slice(1), [...whole, 0]])
    expect(() => resultsOf(groups, answer)).toThrow('the rate script answered')
})

function turnsOf(requests: RateRequest[]): number[][] {
  return groupAlike(requests).map(({ turns }) => turns)
}
