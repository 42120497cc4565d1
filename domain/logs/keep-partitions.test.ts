import { expect, test } from 'vitest'
import { systemIds } from '../../platform/ids.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { aSettledRequest } from '../../test/harness/a-settled-request.ts'
import { keepPartitions } from './keep-partitions.ts'

const [accountId, keyId] = [systemIds.uuid(), systemIds.uuid()]
const day = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day)
const clockIn = (days: number) => ({ now: () => inDays(days).getTime() })
const systemClock = clockIn(0)

test('records that fell into the default partition get a partition of their own, and none is lost', async () => {
  const { sql } = await aDatabaseForThisTest()
  for (const days of [9, 9, 12]) await aSettledRequest(sql, { accountId, keyId, createdAt: inDays(days) })
  expect(await countIn(sql, 'request_logs_default')).toBe(3)

  await Promise.all([1, 2].map(() => keepPartitions({ sql, clock: systemClock }))) // as two workers would

  expect(await countIn(sql, 'request_logs_default')).toBe(0)
  expect(await countIn(sql, 'request_logs')).toBe(3)
  expect(await countIn(sql, partitionOf(inDays(9)))).toBe(2)
})

test('a record is kept for two months, and its day is dropped whole after that', async () => {
  const { sql } = await aDatabaseForThisTest()
  await aSettledRequest(sql, { accountId, keyId, createdAt: inDays(0) })

  expect(await keepPartitions({ sql, clock: clockIn(58) })).not.toContain(partitionOf(inDays(0)))
  expect(await countIn(sql, 'request_logs')).toBe(1)
  expect(await keepPartitions({ sql, clock: clockIn(64) })).toContain(partitionOf(inDays(0)))
  expect(await countIn(sql, 'request_logs')).toBe(0)
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
