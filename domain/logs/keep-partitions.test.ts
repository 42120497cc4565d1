import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { systemIds } from '../../platform/ids.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { firstDayKept, keepPartitions } from './keep-partitions.ts'

const [accountId, keyId] = [systemIds.uuid(), systemIds.uuid()]
const day = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day)
const clockIn = (days: number) => ({ ...systemClock, now: () => inDays(days).getTime() })

test('records that fell into the default partition get a partition of their own, and none is lost', async () => {
  const { sql } = await aDatabaseForThisTest()
  for (const days of [9, 9, 12]) await aSettledRequest(sql, { accountId, keyId, createdAt: inDays(days) })
  expect(await countIn(sql, 'request_logs_default')).toBe(3)

  await Promise.all([1, 2].map(() => keepPartitions({ sql, clock: systemClock }))) // as two workers would

  expect(await countIn(sql, 'request_logs_default')).toBe(0)
  expect(await countIn(sql, 'request_logs')).toBe(3)
  expect(await countIn(sql, partitionOf(inDays(9)))).toBe(2)
})

test('a record stays for two months, then the partition of its day is dropped', async () => {
  const { sql } = await aDatabaseForThisTest()
  for (const days of [-58, -64]) await aSettledRequest(sql, { accountId, keyId, createdAt: inDays(days) })
  expect(await keepPartitions({ sql, clock: systemClock })).toEqual([partitionOf(inDays(-64))])
  expect(await countIn(sql, partitionOf(inDays(-58)))).toBe(1)
  expect(await countIn(sql, 'request_logs')).toBe(1)
})

test('a clock that is wrong by 75 days, ahead or behind, drops nothing that the other clock keeps', async () => {
  const { sql } = await aDatabaseForThisTest()
  for (const days of [-64, -1, 0]) await aSettledRequest(sql, { accountId, keyId, createdAt: inDays(days) })
  expect(await keepPartitions({ sql, clock: clockIn(-75) })).toEqual([])
  expect(await countIn(sql, 'request_logs')).toBe(3)
  expect(await keepPartitions({ sql, clock: clockIn(75) })).toEqual([partitionOf(inDays(-64))])
  expect(await countIn(sql, 'request_logs')).toBe(2)
})

test.each([
  ['2031-04-30T23:59:59Z', '2031-02-28'],
  ['2032-04-30T00:00:00Z', '2032-02-29'],
  ['2031-05-31T12:00:00Z', '2031-03-31'],
  ['2031-01-31T12:00:00Z', '2030-11-30'],
  ['2031-03-01T00:00:00Z', '2031-01-01'],
])('at %s the first day that is kept is %s', (now, first) => {
  expect(firstDayKept(Date.parse(now))).toBe(first)
})

test('called again, it finds nothing to do', async () => {
  const { sql } = await aDatabaseForThisTest()
  await keepPartitions({ sql, clock: systemClock })
  expect(await keepPartitions({ sql, clock: systemClock })).toEqual([])
})

function partitionOf(moment: Date): string {
  return `request_logs_${moment.toISOString().slice(0, 10).replaceAll('-', '')}`
}

async function countIn(sql: Sql, table: string): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`select count(*)::int as rows from ${sql(table)}`
  return row?.rows ?? 0
}
