import { expect, test } from 'vitest'
import { growthRequest, maxGrowthNanos } from './grow-hold.ts'
import type { Hold, Waiter } from './hold.ts'
import type { Ledger } from './ledger.ts'

const needNanos = 100n

test('headroom is asked for so many times over as it was used up too soon, at most eight', () => {
  const asked: [lastedSeconds: number, aheadNanos: bigint][] = [
    [Number.POSITIVE_INFINITY, 100n], // the first: as much as is needed now
    [0, 800n],
    [1, 6_400n],
    [20, 19_200n],
    [30, 38_400n],
    [59, 76_800n],
    [60, 76_800n],
    [3_600, 76_800n],
  ]
  const { hold, askAfter } = aHold()
  for (const [seconds, aheadNanos] of asked) expect(askAfter(seconds)).toBe(aheadNanos)
  hold.maxHeadroomNanos = 50_000n
  expect(askAfter(1)).toBe(50_000n)
})

test('a key that is used evenly grows once a minute, however often that is', () => {
  for (const perSecond of [0.5, 2, 40]) {
    const { askAfter } = aHold()
    let lastsSeconds = Number.POSITIVE_INFINITY
    for (let growth = 0; growth < 8; growth++)
      lastsSeconds = Number(askAfter(lastsSeconds) / needNanos) / perSecond
    expect(lastsSeconds).toBeGreaterThanOrEqual(60)
    expect(lastsSeconds).toBeLessThan(2 * 60)
  }
})

test('a hold that was short asks for what is needed alone, and no hold for more than there can be', () => {
  const { hold, askAfter } = aHold()
  askAfter(1)
  hold.shortOf = 'balance'
  expect(askAfter(1)).toBe(0n)
  hold.shortOf = undefined
  expect(askAfter(1)).toBe(needNanos)
  hold.maxHeadroomNanos = maxGrowthNanos * 4n
  for (let growth = 0; growth < 40; growth++) expect(askAfter(1)).toBeLessThanOrEqual(maxGrowthNanos)
})

/** A hold for which somebody waits, and what it asks for when so much time has passed since it asked last. */
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
    askAfter(seconds: number): bigint {
      if (Number.isFinite(seconds)) now += seconds * 1_000
      return growthRequest(ledger, hold)[4] as bigint
    },
  }
}
