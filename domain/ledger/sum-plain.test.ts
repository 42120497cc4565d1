import { expect, test } from 'vitest'
import { aRequestRecord } from '../../test/harness/ledger/a-request-record.ts'
import type { Hold } from './hold.ts'
import type { Settlement } from './ledger.ts'
import { type RequestRecord, timeOf } from './request-record.ts'
import type { Batch, HoldTarget } from './send-batch.ts'
import { sumPlain } from './sum-plain.ts'

const key = { accountId: 'account', keyId: 'key' }
const target: HoldTarget = {
  hold: { ...key, budgets: undefined } as Hold,
  holdId: 'hold',
  beforeNanos: 15n,
  amountNanos: 9n,
  inUseNanos: 1n,
}
const other: HoldTarget = {
  hold: { ...key, keyId: 'other', budgets: undefined } as Hold,
  holdId: 'another',
  beforeNanos: 7n,
  amountNanos: 5n,
  inUseNanos: 0n,
}
const noon = Date.UTC(2026, 10, 22, 12)

function charge(fields: Partial<RequestRecord> = {}, holdId: string | null = 'hold') {
  const record = { ...aRequestRecord(key, 2n), startedAt: noon, ...fields }
  return { item: { record } as Settlement, holdId: holdId ?? undefined, takenNanos: 2n }
}

function sums(batch: Partial<Batch>) {
  return sumPlain({ charges: [charge()], targets: [target], asks: [], ...batch }, '2026-11-22')
}

test('sums requests by key, model, end user and metadata, with the changes of their holds', () => {
  const team = '[{"key":"team","value":"red"}]'
  const charges = [
    charge(),
    charge({ status: 499 }),
    charge({ status: 502, costNanos: 0n }, null),
    charge({ model: null, endUser: '' }),
    charge({ model: 'm\0', endUser: 'ada' }),
    charge({ keyId: 'other' }, 'another'),
    charge({ metadata: team }),
    charge({ metadata: team }),
  ]
  const { used, changes, collected } = sums({ charges, targets: [target, other] })!
  expect(used).toEqual([
    ['2026-11-22', '', null, null, 1, 0, 1, 0, 0, 1, 0, 2n, 'account', 'key'],
    ['2026-11-22', 'm', 'ada', null, 1, 0, 1, 0, 0, 1, 0, 2n, 'account', 'key'],
    ['2026-11-22', 'vendor_a/test', null, team, 2, 0, 2, 0, 0, 2, 0, 4n, 'account', 'key'],
  ])
  // In the order of their IDs, in which Postgres locks them.
  expect(changes).toEqual([
    ['account', 'another', 7n, 5n, 0n, 2n, 'vendor_a/test', 1, 0, 1, 0, 0, 1, 0, 2n],
    ['account', 'hold', 15n, 9n, 1n, 12n, 'vendor_a/test', 3, 1, 3, 0, 0, 3, 0, 4n],
  ])
  expect([...collected.values()]).toEqual(['vendor_a/test', 'vendor_a/test'])
})

test('a hold collects usage of the model that it has, and the rest is counted', () => {
  const hold = { ...target.hold, unpostedModel: 'b' }
  const charges = [charge({ model: 'a' }), charge({ model: 'b' }), charge({ model: 'a' })]
  const { used, changes } = sums({ charges, targets: [{ ...target, hold }] })!
  expect(changes).toEqual([['account', 'hold', 15n, 9n, 1n, 6n, 'b', 1, 0, 1, 0, 0, 1, 0, 2n]])
  expect(used).toEqual([['2026-11-22', 'a', null, null, 2, 0, 2, 0, 0, 2, 0, 4n, 'account', 'key']])
})

const ask = { holdId: 'hold', isShort: false, row: [] }

test('a hold that grows without a row needs no change of it', () => {
  const first = { ...target, beforeNanos: 0n, amountNanos: 0n, inUseNanos: 0n }
  expect(sums({ charges: [], targets: [first], asks: [ask] })).toMatchObject({ used: [], changes: [] })
  expect(sums({ targets: [first], asks: [ask] })).toBeUndefined()
})

test.each<[string, Partial<Batch>]>([
  ['of no key', { targets: [] }],
  ['with a growth that was short', { asks: [ask, { ...ask, isShort: true }] }],
  ['with 17 growths', { asks: Array.from({ length: 17 }, () => ask) }],
  ['with a request of another key', { charges: [charge(), charge({ keyId: 'other' }, null)] }],
  ['with a charge on another hold', { charges: [charge({}, 'other')] }],
  ['with a request of the day before', { charges: [charge({ startedAt: noon - 86_400_000 })] }],
  ['without requests', { charges: [] }],
])('nothing for a batch %s', (_, batch) => {
  expect(sums(batch)).toBeUndefined()
})

test('a request counts on the day of its time, rounded and limited as in the log', () => {
  const begins = Date.UTC(2026, 10, 22)
  const edges = [-1, -0.6, -0.5, 0, 0.4, 86_399_998, 86_399_999, 86_399_999.4, 86_399_999.6, 86_400_000]
  const times = [...edges.map(afterMs => begins + afterMs), Number.NaN, -1, 0, 1e14, Number.POSITIVE_INFINITY]
  for (const startedAt of times) {
    for (const day of ['1970-01-01', '2026-11-21', '2026-11-22', '2026-11-23', '9999-12-31', '+010000-01']) {
      const one = charge({ startedAt })
      const found = sumPlain({ charges: [one], targets: [target], asks: [] } as unknown as Batch, day)
      expect([startedAt, day, found ? 1 : 0]).toEqual([
        startedAt,
        day,
        timeOf(one.item.record).startsWith(day) ? 1 : 0,
      ])
    }
  }
})
