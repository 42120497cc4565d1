import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { systemIds } from '../../platform/ids.ts'
import { openLog } from '../../platform/log.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import type { UsageQuery } from './group-usage.ts'
import { openLatencyCounts } from './latency-counts.ts'
import { readLatencies } from './read-latencies.ts'

const log = openLog({ level: 'silent', name: 'test' })
const [accountId, keyId] = [systemIds.uuid(), systemIds.uuid()]
const day = new Date().toISOString().slice(0, 10)
const group = { day: null, keyId: null, model: null }
const byModel: UsageQuery = { accountId, filter: {}, groupBy: ['model'] }
const answered = { accountId, keyId, day, model: 'vendor_a/one', durationMs: 400, firstByteMs: null }

test('processes add what they counted to the same rows, and each group has its own percentiles', async () => {
  const { sql } = await aDatabaseForThisTest()
  const [first, second] = [openLatencyCounts({ sql, log }), openLatencyCounts({ sql, log })]
  for (let ms = 1; ms <= 100; ms++)
    (ms % 2 ? first : second).add({ ...answered, durationMs: ms * 100, firstByteMs: ms * 10 })
  first.add({ ...answered, model: 'vendor_a/two', durationMs: 60_000 })
  await Promise.all([first.post(), second.post()])
  first.add({ ...answered, model: 'vendor_a/two', durationMs: 60_000 })
  await first.post()
  await first.post()

  const groups = ['vendor_a/one', 'vendor_a/two', 'vendor_a/unused'].map(model => ({ ...group, model }))
  const latencyOf = await readLatencies(sql, { query: byModel, groups, nowMs: systemClock.now() })
  const [one, two, unused] = groups.map(latencyOf)
  // The accuracy is 19%; `closeTo` allows half of a power of ten.
  const about = (ms: number) => expect.closeTo(ms, -Math.log10(2 * 0.19 * ms))
  expect(one).toEqual({
    durationP50Ms: about(5_000),
    durationP95Ms: about(9_500),
    firstByteP50Ms: about(500),
    firstByteP95Ms: about(950),
  })
  expect(two).toEqual({
    durationP50Ms: about(60_000),
    durationP95Ms: about(60_000),
    firstByteP50Ms: null,
    firstByteP95Ms: null,
  })
  expect(unused).toEqual({
    durationP50Ms: null,
    durationP95Ms: null,
    firstByteP50Ms: null,
    firstByteP95Ms: null,
  })
  const rows = await sql`select model, array_sum from usage_latencies,
    lateral (select sum(count)::int as array_sum from unnest(durations) count) s order by model`
  expect(rows.map(({ array_sum: sum }) => sum)).toEqual([100, 2])
})

test('counts that Postgres did not take are posted by the next call, with what was counted since', async () => {
  const { sql } = await aDatabaseForThisTest()
  const counts = openLatencyCounts({ sql, log })
  counts.add(answered)
  await sql`alter table usage_latencies rename to elsewhere`
  await expect(counts.post()).rejects.toThrow('usage_latencies')
  counts.add(answered)
  await sql`alter table elsewhere rename to usage_latencies`
  await counts.post()
  const [row] = await sql`select durations from usage_latencies`
  expect(row?.durations.filter(Boolean)).toEqual([2])
})
