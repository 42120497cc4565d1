import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { systemIds } from '../../platform/ids.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { type Period, usagePerKey } from './usage-per-key.ts'

const [accountId, keyId, otherKeyId] = [systemIds.uuid(), systemIds.uuid(), systemIds.uuid()]
/** A Wednesday. */
const clock = { ...systemClock, now: () => Date.UTC(2026, 6, 15, 10) }

test('each of many keys gets its sums, and a key without requests gets zero', async () => {
  const { sql } = await aDatabaseForThisTest()
  const createdAt = new Date(clock.now())
  const tokens = { prompt_tokens: 10, completion_tokens: 4 }
  await aSettledRequest(sql, { accountId, keyId, createdAt, costNanos: 30n, columns: tokens })
  await aSettledRequest(sql, { accountId, keyId, createdAt, costNanos: 12n, columns: tokens })
  await aSettledRequest(sql, { accountId, keyId, createdAt, columns: { status: 502 } })
  await aSettledRequest(sql, { accountId, keyId: otherKeyId, createdAt, costNanos: 5n })
  const idle = systemIds.uuid()

  const keyIds = [keyId, otherKeyId, idle]
  const usage = await usagePerKey({ sql, clock }, { accountId, keyIds, period: 'month' })

  expect(usage).toHaveLength(3)
  const nothing = {
    requests: 0,
    failedRequests: 0,
    spentNanos: 0n,
    promptTokens: 0,
    cachedTokens: 0,
    cacheCreationTokens: 0,
    completionTokens: 0,
    reasoningTokens: 0,
  }
  const sums = { requests: 3, failedRequests: 1, spentNanos: 42n, promptTokens: 20, completionTokens: 8 }
  expect(usage).toContainEqual({ ...nothing, keyId, ...sums })
  expect(usage).toContainEqual({ ...nothing, keyId: otherKeyId, requests: 1, spentNanos: 5n })
  expect(usage).toContainEqual({ ...nothing, keyId: idle })
})

test('periods are the current UTC day, week from Monday, month, and the full retention', async () => {
  const { sql } = await aDatabaseForThisTest()
  const moments = [
    '07-15T00:00:00Z',
    '07-14T23:59:59.999Z',
    '07-13T00:00:00Z',
    '07-12T23:59:59Z',
    '07-01T00:00:00Z',
    '06-30T23:59:59Z',
  ]
  for (const moment of moments) {
    await aSettledRequest(sql, { accountId, keyId, createdAt: new Date(`2026-${moment}`) })
  }
  const requestsIn = async (period: Period) =>
    (await usagePerKey({ sql, clock }, { accountId, keyIds: [keyId], period }))[0]?.requests

  expect(await requestsIn('day')).toBe(1)
  expect(await requestsIn('week')).toBe(3)
  expect(await requestsIn('month')).toBe(5)
  expect(await requestsIn('retained')).toBe(6)
})

test('usage older than the log does not count, even if its counters still exist', async () => {
  const { sql } = await aDatabaseForThisTest()
  for (const day of ['05-14', '05-15'])
    await aSettledRequest(sql, { accountId, keyId, createdAt: new Date(`2026-${day}T12:00:00Z`) })
  const [usage] = await usagePerKey({ sql, clock }, { accountId, keyIds: [keyId], period: 'retained' })
  expect(usage?.requests).toBe(1)
})

test('the requests of another account do not count, even under the same key ID', async () => {
  const { sql } = await aDatabaseForThisTest()
  await aSettledRequest(sql, { accountId: systemIds.uuid(), keyId, createdAt: new Date(clock.now()) })
  const usage = await usagePerKey({ sql, clock }, { accountId, keyIds: [keyId], period: 'retained' })
  expect(usage[0]?.requests).toBe(0)
})
