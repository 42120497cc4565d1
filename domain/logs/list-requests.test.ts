import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { type Clock, dayMs, systemClock } from '../../platform/clock.ts'
import { systemIds } from '../../platform/ids.ts'
import type { KeysetOrder, Position, Slice } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { aDatabase, aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { scansOf } from '../../test/harness/postgres/scans-of.ts'
import {
  countRequests,
  listRequests,
  positionOfRequest,
  type RequestOrderField,
  requestOrder,
  requestOrders,
} from './list-requests.ts'
import type { RequestFilter } from './request-filter.ts'
import type { RequestLog } from './request-log.ts'
import { type MetadataPair, readMetadata } from './request-metadata.ts'

const [accountId, otherId] = [systemIds.uuid(), systemIds.uuid()]
const keys = [systemIds.uuid(), systemIds.uuid()]
const models = ['vendor_a/one', 'vendor_b/two', null]
const statuses = [200, 404, 429, 499, 502]
const endUsers = ['ada', null]
const nowMs = Date.UTC(2026, 6, 15, 10)
const clock: Clock = { ...systemClock, now: () => nowMs }
const hour = 3_600_000

let logged: RequestLog[]

const database = perFile(aDatabase)

beforeAll(async () => {
  const { sql } = database
  for (let turn = 0; turn < 120; turn++) {
    const createdAt = new Date(nowMs - Math.floor(turn / 3) * 7 * hour)
    const model = models[turn % 3] ?? null
    const columns = {
      model,
      vendor: model?.slice(0, 8) ?? null,
      status: statuses[turn % 5] ?? 200,
      end_user: endUsers[turn % 2] ?? null,
      duration_ms: turn % 7,
      metadata: turn % 4 ? readMetadata({ team: turn < 60 ? 'red' : 'blue' }) : null,
    }
    const keyId = keys[turn % 2] ?? ''
    await aSettledRequest(sql, { accountId, keyId, createdAt, costNanos: BigInt(turn % 4), columns })
    if (turn % 10 === 0) await aSettledRequest(sql, { accountId: otherId, keyId, createdAt, columns })
  }
  logged = await page({ filter: {}, limit: 1_000 })
})

async function page(args: {
  filter: RequestFilter
  limit: number
  order?: KeysetOrder
  after?: Position | undefined
  before?: Position | undefined
  fromEnd?: boolean
}): Promise<RequestLog[]> {
  const { filter, order, ...slice } = args
  const { sql } = database
  const found = await listRequests({ sql, clock }, { accountId, filter, slice, ...(order && { order }) })
  expect(found.endedAt).toBeUndefined()
  return found.requests
}

const anyOf = <Value>(values: readonly Value[]) =>
  fc.option(fc.uniqueArray(fc.constantFrom(...values), { maxLength: 2 }), { nil: undefined })

const anyMoment = fc.option(
  fc.nat(300).map(hours => new Date(nowMs - hours * hour)),
  { nil: undefined },
)
const anyCost = fc.option(fc.bigInt(0n, 3n), { nil: undefined })

const anyFilter: fc.Arbitrary<RequestFilter> = fc.record({
  keyIds: anyOf(keys),
  models: anyOf(['vendor_a/one', 'vendor_b/two', 'vendor_c/none']),
  statuses: anyOf([
    { lowest: 200, highest: 299 },
    { lowest: 400, highest: 499 },
    { lowest: 502, highest: 502 },
  ]),
  vendors: anyOf(['vendor_a', 'vendor_c']),
  endUsers: anyOf(['ada', 'nobody']),
  metadata: anyOf([
    { key: 'team', value: 'red' },
    { key: 'team', value: 'green' },
    { key: 'env', value: 'red' },
  ]),
  minCostNanos: anyCost,
  maxCostNanos: anyCost,
  since: anyMoment,
  until: anyMoment,
})

const has = (log: RequestLog, { key, value }: MetadataPair) =>
  log.metadata?.some(pair => pair.key === key && pair.value === value) ?? false

/** The filter said once more, in other words. */
function matches(filter: RequestFilter, log: RequestLog): boolean {
  const among = <Value>(values: readonly Value[] | undefined, value: Value) => values?.includes(value) ?? true
  return (
    among(filter.keyIds, log.apiKeyId) &&
    among(filter.models, log.model ?? '') &&
    among(filter.vendors, log.vendor ?? '') &&
    among(filter.endUsers, log.endUser ?? '') &&
    (filter.metadata?.some(pair => has(log, pair)) ?? true) &&
    (filter.statuses?.some(({ lowest, highest }) => log.status >= lowest && log.status <= highest) ?? true) &&
    log.costNanos >= (filter.minCostNanos ?? 0n) &&
    log.costNanos <= (filter.maxCostNanos ?? 10n) &&
    log.createdAt >= (filter.since ?? new Date(0)) &&
    (filter.until === undefined || log.createdAt < filter.until)
  )
}

test('whatever is filtered by, all that matches is listed, page by page, from either end, and counted', async () => {
  expect(logged).toHaveLength(120)
  await fc.assert(
    fc.asyncProperty(
      anyFilter,
      fc.integer({ min: 1, max: 50 }),
      fc.boolean(),
      async (filter, limit, fromEnd) => {
        const expected = logged.filter(log => matches(filter, log)).map(({ id }) => id)
        const seen: string[] = []
        for (let position: Position | undefined; ; ) {
          const place = fromEnd ? { fromEnd, before: position } : { after: position }
          const found = await page({ filter, limit, ...place })
          seen.push(...found.map(({ id }) => id))
          const last = found.at(-1)
          if (!last || found.length < limit) break
          position = positionOfRequest(last, requestOrder())
        }
        expect(fromEnd ? seen.reverse() : seen).toEqual(expected)
        const { sql } = database
        expect(await countRequests({ sql }, { accountId, filter, max: 1_000 })).toBe(expected.length)
      },
    ),
    { numRuns: 60 },
  )
})

test.each(Object.keys(requestOrders) as RequestOrderField[])(
  'in the order of %s, both ways, each page follows the one before',
  async field => {
    const filter = { since: new Date(0) }
    const textOf = (log: RequestLog) => {
      const position = positionOfRequest(log, requestOrder(field))
      return position.map(text => (/^\d+$/.test(text) ? text.padStart(20, '0') : text)).join('\n')
    }
    for (const direction of ['asc', 'desc'] as const) {
      const order = requestOrder(field, direction)
      const seen: RequestLog[] = []
      for (let after: Position | undefined; ; ) {
        const found = await page({ filter, limit: 50, order, after })
        seen.push(...found)
        const last = found.at(-1)
        if (!last || found.length < 50) break
        after = positionOfRequest(last, order)
      }
      expect(new Set(seen.map(({ id }) => id)).size).toBe(120)
      const values = seen.map(textOf)
      const sorted = values.toSorted()
      expect(values).toEqual(direction === 'asc' ? sorted : sorted.reverse())
    }
  },
)

test('in another order than that of time, the last 24 hours count unless the filter says since when', async () => {
  const order = requestOrder('cost')
  const listed = await page({ filter: {}, limit: 1_000, order })
  expect(listed).toHaveLength(logged.filter(log => log.createdAt.getTime() >= nowMs - 24 * hour).length)
  const until = new Date(nowMs - 100 * hour)
  const earlier = await page({ filter: { until }, limit: 1_000, order })
  expect(earlier.length).toBeGreaterThan(0)
  for (const { createdAt } of earlier) expect(createdAt.getTime()).toBeGreaterThanOrEqual(+until - 24 * hour)
})

test('a search that takes too long ends with what it has, and goes on from there without loss', async () => {
  const { sql } = await aDatabaseForThisTest()
  const ids: string[] = []
  for (let days = 0; days < 4; days++) {
    const createdAt = new Date(nowMs - days * 24 * hour)
    const columns = { model: 'vendor_a/rare' }
    ids.push((await aSettledRequest(sql, { accountId, keyId: keys[0] ?? '', createdAt, columns })).id)
  }
  await sql`update usage_totals set requests = 250000` // as if the log had this many requests
  let time = 0
  const slow: Clock = { ...clock, monotonic: () => (time += 60) }
  const filter = { models: ['vendor_a/rare'] }
  for (const fromEnd of [false, true]) {
    const seen: string[] = []
    let turns = 0
    for (let position: Position | undefined; ; turns++) {
      const slice = { limit: 10, fromEnd, ...(fromEnd ? { before: position } : { after: position }) }
      const { requests, endedAt } = await listRequests({ sql, clock: slow }, { accountId, filter, slice })
      seen.push(...requests.map(({ id }) => id))
      if (!endedAt) break
      position = endedAt
    }
    expect(fromEnd ? seen.reverse() : seen).toEqual(ids)
    expect(turns).toBeGreaterThan(3)
  }
})

test('a page after a position reads the days of the page only', async () => {
  const own = await aDatabaseForThisTest()
  const start = Math.floor(Date.now() / dayMs) * dayMs + 12 * hour // a database has partitions for a week ahead
  const settled: { id: string }[] = []
  for (let days = 0; days < 7; days++)
    for (let turn = 0; turn < 3; turn++) {
      const createdAt = new Date(start + days * dayMs + turn * hour)
      settled.unshift(await aSettledRequest(own.sql, { accountId, keyId: keys[0] ?? '', createdAt }))
    }
  await own.sql`analyze request_logs`
  const later: Clock = { ...systemClock, now: () => start + 7 * dayMs }
  const list = async (sql: Sql, slice: Slice) =>
    (await listRequests({ sql, clock: later }, { accountId, filter: {}, slice })).requests
  const [first] = await list(own.sql, { limit: 1 })
  const after = positionOfRequest(first!, requestOrder())
  let found: RequestLog[] = []
  const tables = await scansOf(own, async sql => {
    found = await list(sql, { limit: 3, after })
  })
  expect(found.map(({ id }) => id)).toEqual(settled.slice(1, 4).map(({ id }) => id))
  const days = [6, 5].map(day => new Date(start + day * dayMs).toISOString().slice(0, 10))
  expect(tables).toEqual(days.map(day => `request_logs_${day.replaceAll('-', '')}`).sort())
})

test('requests are found by labels that are not counted by value', async () => {
  const { sql } = await aDatabaseForThisTest()
  await sql`insert into usage_labels select ${accountId}, '2026-07-15', label, number, 1000
    from (values ('', 0), ('team', 1), ('last', 100)) labels (label, number)`
  const metadata = readMetadata({ team: 'red', env: 'test' })
  const columns = { end_user: 'ada', metadata }
  await aSettledRequest(sql, { accountId, keyId: keys[0] ?? '', createdAt: new Date(nowMs), columns })
  expect(await sql`select from usage_values`).toHaveLength(0)
  for (const filter of [
    { endUsers: ['ada'] },
    { metadata: [{ key: 'team', value: 'red' }] },
    { metadata: [{ key: 'env', value: 'test' }] },
  ]) {
    const { requests } = await listRequests({ sql, clock }, { accountId, filter, slice: { limit: 9 } })
    expect(requests).toHaveLength(1)
  }
})

test('the requests of another account are invisible', async () => {
  const { sql } = database
  const slice = { limit: 10 }
  const found = await listRequests({ sql, clock }, { accountId: systemIds.uuid(), filter: {}, slice })
  expect(found).toEqual({ requests: [] })
})
