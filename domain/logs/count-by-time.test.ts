import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemIds } from '../../platform/ids.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { countByTime, countSlots, type SlotLength, slotSeconds } from './count-by-time.ts'

const [accountId, keyId, otherKeyId] = [systemIds.uuid(), systemIds.uuid(), systemIds.uuid()]
const at = (minute: number) => new Date(Date.UTC(2026, 6, 15, 10, minute, 30))

test('requests are counted in the slot of their arrival, with failed ones, and empty slots are there', async () => {
  const { sql } = await aDatabaseForThisTest()
  const log = (minute: number, columns: object = {}, key = keyId) =>
    aSettledRequest(sql, { accountId, keyId: key, createdAt: at(minute), columns: { ...columns } })
  await log(1)
  await log(4, { status: 429 })
  await log(12, { status: 499 })
  await log(13, { status: 502 }, otherKeyId)
  await log(31)
  await aSettledRequest(sql, { accountId: systemIds.uuid(), keyId, createdAt: at(4) })

  const count = async (more: object = {}, length: SlotLength = 'five_minutes') => {
    const filter = { since: at(-2), until: at(20), ...more }
    const { slots, countedSince } = await countByTime(sql, { accountId, filter, length })
    expect(countedSince).toEqual(filter.since)
    for (const [index, { since, until }] of slots.entries()) {
      expect(until.getTime() - since.getTime()).toBe(slotSeconds[length] * 1000)
      if (index > 0) expect(since).toEqual(slots[index - 1]?.until)
    }
    return slots.map(({ requests, failedRequests }) => [requests, failedRequests])
  }
  expect(await count()).toEqual([
    [0, 0],
    [2, 1],
    [0, 0],
    [2, 1],
    [0, 0],
    [0, 0],
  ])
  expect(await count({ keyIds: [otherKeyId] }, 'hour')).toEqual([
    [0, 0],
    [1, 1],
  ])
  expect(await count({ since: at(4), until: at(5) }, 'minute')).toEqual([
    [1, 1],
    [0, 0],
  ])
})

test('a period has as many slots as it touches', () => {
  fc.assert(
    fc.property(
      fc.nat(10_000_000),
      fc.nat(10_000_000),
      fc.constantFrom('minute', 'five_minutes', 'hour'),
      (start, ms, length) => {
        const slotMs = slotSeconds[length] * 1000
        const period = { since: new Date(start), until: new Date(start + ms) }
        const last = Math.max(start, start + ms - 1)
        const touched = Math.floor(last / slotMs) - Math.floor(start / slotMs) + 1
        expect(countSlots(period, length)).toBe(touched)
      },
    ),
  )
})
