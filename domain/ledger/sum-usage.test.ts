import { expect, test } from 'vitest'
import { aRequestRecord } from '../../test/harness/a-request-record.ts'
import type { Settlement } from './ledger.ts'
import { type RequestRecord, timeOf } from './request-record.ts'
import type { Batch } from './send-batch.ts'
import { sumUsage } from './sum-usage.ts'

const key = { accountId: 'account', keyId: 'key' }
const target = { ...key, holdId: 'hold', amountNanos: 9n, inUseNanos: 0n }
const noon = Date.UTC(2026, 10, 22, 12)

function charge(fields: Partial<RequestRecord> = {}, holdId: string | null = 'hold') {
  const record = { ...aRequestRecord(key, 2n), startedAt: noon, ...fields }
  return { item: { record } as Settlement, holdId: holdId ?? undefined, takenNanos: 2n }
}

function sums(batch: Partial<Batch>) {
  return sumUsage({ charges: [charge()], targets: [target], asks: [], ...batch }, '2026-11-22')
}

test('what requests of one key come to, by model and end user', () => {
  const charges = [
    charge(),
    charge({ status: 499 }),
    charge({ status: 502, costNanos: 0n }, null),
    charge({ model: null, endUser: '' }),
    charge({ model: 'm\0', endUser: 'ada' }),
  ]
  expect(sums({ charges })).toEqual([
    ['2026-11-22', 'vendor_a/test', null, 3, 1, 3, 0, 0, 3, 0, 4n],
    ['2026-11-22', '', null, 1, 0, 1, 0, 0, 1, 0, 2n],
    ['2026-11-22', 'm', 'ada', 1, 0, 1, 0, 0, 1, 0, 2n],
  ])
})

test.each<[string, Partial<Batch>]>([
  ['of no key', { targets: [] }],
  ['of two keys', { targets: [target, { ...target, keyId: 'other', holdId: 'other' }] }],
  ['that grows a hold', { asks: [{ holdId: 'hold', row: [] }] }],
  ['with a request of another key', { charges: [charge(), charge({ keyId: 'other' }, null)] }],
  ['with a charge on another hold', { charges: [charge({}, 'other')] }],
  ['with a request of the day before', { charges: [charge({ startedAt: noon - 86_400_000 })] }],
  ['without requests', { charges: [] }],
])('nothing for a batch %s', (_, batch) => {
  expect(sums(batch)).toEqual([])
})

test('a request is of the day that its time is of, rounded and limited as it is logged', () => {
  const begins = Date.UTC(2026, 10, 22)
  const edges = [-1, -0.6, -0.5, 0, 0.4, 86_399_998, 86_399_999, 86_399_999.4, 86_399_999.6, 86_400_000]
  const times = [...edges.map(afterMs => begins + afterMs), Number.NaN, -1, 0, 1e14, Number.POSITIVE_INFINITY]
  for (const startedAt of times) {
    for (const day of ['1970-01-01', '2026-11-21', '2026-11-22', '2026-11-23', '9999-12-31', '+010000-01']) {
      const one = charge({ startedAt })
      const found = sumUsage({ charges: [one], targets: [target], asks: [] } as unknown as Batch, day)
      expect([startedAt, day, found.length]).toEqual([
        startedAt,
        day,
        timeOf(one.item.record).startsWith(day) ? 1 : 0,
      ])
    }
  }
})
