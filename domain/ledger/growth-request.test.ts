import { expect, test } from 'vitest'
import { growthRequest, maxGrowthNanos } from './grow-hold.ts'
import type { Hold, Waiter } from './hold.ts'
import type { Ledger } from './ledger.ts'

const needNanos = 100n

test('headroom that is used up too soon grows by the missing factor, at most eight', () => {
  const expected: [lastedSeconds: number, aheadNanos: bigint][] = [
    [Number.POSITIVE_INFINITY, 100n], // the first growth: the current need
    [0, 800n],
    [1, 6_400n],
    [20, 19_200n],
    [30, 38_400n],
    [59, 76_800n],
    [60, 76_800n],
    [3_600, 76_800n],
  ]
  const { hold, requestAfter } = aHold()
  for (const [seconds, aheadNanos] of expected) expect(requestAfter(seconds)).toBe(aheadNanos)
  hold.maxHeadroomNanos = 50_000n
  expect(requestAfter(1)).toBe(50_000n)
})

test('a key with a constant request rate grows at most once a minute', () => {
  for (const perSecond of [0.5, 2, 40]) {
    const { requestAfter } = aHold()
    let lastsSeconds = Number.POSITIVE_INFINITY
    for (let growth = 0; growth < 8; growth++)
      lastsSeconds = Number(requestAfter(lastsSeconds) / needNanos) / perSecond
    expect(lastsSeconds).toBeGreaterThanOrEqual(60)
    expect(lastsSeconds).toBeLessThan(2 * 60)
  }
})

test('a hold that was short requests no headroom, and no growth exceeds the maximum', () => {
  const { hold, requestAfter } = aHold()
  requestAfter(1)
  hold.shortOf = 'balance'
  expect(requestAfter(1)).toBe(0n)
  hold.shortOf = undefined
  expect(requestAfter(1)).toBe(needNanos)
  hold.maxHeadroomNanos = maxGrowthNanos * 4n
  for (let growth = 0; growth < 40; growth++) expect(requestAfter(1)).toBeLessThanOrEqual(maxGrowthNanos)
})

/** Creates a hold with a waiting request. `requestAfter` returns the headroom requested after a number of seconds. */
function aHold() {
  let now = 0
  const ledger = { context: { clock: { monotonic: () => now } } } as unknown as Ledger
  const waiter = { amountNanos: needNanos, minimumNanos: needNanos, backsTheHold: false } as Waiter
  const hold = {
    ...{ id: 'hold', accountId: 'account', keyId: 'key', amountNanos: 0n, reservedNanos: 0n },
    ...{ maxHeadroomNanos: 10n ** 12n, lastAheadNanos: 0n, lastGrowthAt: Number.NEGATIVE_INFINITY },
    ...{ shortOf: undefined, waiters: [waiter] },
  } as Partial<Hold> as Hold
  return {
    hold,
    requestAfter(seconds: number): bigint {
      if (Number.isFinite(seconds)) now += seconds * 1_000
      return growthRequest(ledger, hold)[4] as bigint
    },
  }
}
