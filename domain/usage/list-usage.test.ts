import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { dayMs, systemClock } from '../../platform/clock.ts'
import { systemIds } from '../../platform/ids.ts'
import type { Position } from '../../platform/postgres/keyset.ts'
import { aDatabase } from '../../test/harness/a-database.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { listRequests } from '../logs/list-requests.ts'
import type { RequestLog } from '../logs/request-log.ts'
import { readMetadata } from '../logs/request-metadata.ts'
import { type UsageDimension, type UsageFilter, usageDimensions } from './group-usage.ts'
import { countUsage, listUsage, positionOfUsage, type UsageGroup, usageOrder } from './list-usage.ts'

const accountId = systemIds.uuid()
const keys = [systemIds.uuid(), systemIds.uuid()]
const nowMs = Date.UTC(2026, 6, 15, 10)
const clock = { ...systemClock, now: () => nowMs }

let logged: RequestLog[]

const database = perFile(aDatabase)

beforeAll(async () => {
  const { sql } = database
  for (let turn = 0; turn < 90; turn++) {
    const columns = {
      model: ['vendor_a/one', 'vendor_b/two', null][turn % 3] ?? null,
      status: [200, 499, 402, 503][turn % 4] ?? 200,
      end_user: ['ada', 'bob', null][turn % 5] ?? null,
      metadata: readMetadata({
        ...(turn % 3 && { team: turn % 2 ? 'red' : 'blue' }),
        ...(turn % 4 && { env: 'test' }),
      }),
      prompt_tokens: turn,
      cached_tokens: turn % 4,
      cache_creation_tokens: turn % 3,
      completion_tokens: turn * 2,
      reasoning_tokens: turn % 2,
    }
    const createdAt = new Date(nowMs - Math.floor(turn / 10) * dayMs)
    const keyId = keys[turn % 2] ?? ''
    await aSettledRequest(sql, { accountId, keyId, createdAt, costNanos: BigInt(turn % 6), columns })
    if (turn % 9 === 0) await aSettledRequest(sql, { accountId: systemIds.uuid(), keyId, createdAt, columns })
  }
  const all = { accountId, filter: {}, slice: { limit: 1_000 } }
  logged = (await listRequests({ sql, clock }, all)).requests
})

const dayOf = ({ createdAt }: RequestLog) => createdAt.toISOString().slice(0, 10)

const anyDay = fc.option(
  fc.nat(12).map(days => new Date(nowMs - days * dayMs).toISOString().slice(0, 10)),
  { nil: undefined },
)
const anyOf = <Value>(values: readonly Value[]) =>
  fc.option(fc.uniqueArray(fc.constantFrom(...values), { maxLength: 2 }), { nil: undefined })

const anyFilter: fc.Arbitrary<UsageFilter> = fc.record({
  since: anyDay,
  until: anyDay,
  keyIds: anyOf(keys),
  models: anyOf(['vendor_a/one', 'vendor_b/two']),
  endUsers: anyOf(['ada', 'bob', 'nobody']),
})
const anyValues = anyOf(['red', 'blue', 'test'])

const metadataValueOf = (log: RequestLog, key: string) => log.metadata?.find(pair => pair.key === key)?.value

/** The log added up by hand. */
function summed(
  filter: UsageFilter,
  { groupBy, metadataKey }: { groupBy: readonly UsageDimension[]; metadataKey: string },
): UsageGroup[] {
  const groups = new Map<string, UsageGroup>()
  const has = (dimension: UsageDimension) => groupBy.includes(dimension)
  for (const log of logged) {
    if (filter.since && dayOf(log) < filter.since) continue
    if (filter.until && dayOf(log) > filter.until) continue
    if (filter.keyIds?.includes(log.apiKeyId) === false) continue
    if (filter.models?.includes(log.model ?? '') === false) continue
    if (filter.endUsers?.includes(log.endUser ?? '') === false) continue
    const value = metadataValueOf(log, metadataKey)
    if (filter.metadata?.values.includes(value ?? '') === false) continue
    const identity = {
      day: has('day') ? dayOf(log) : null,
      keyId: has('api_key') ? log.apiKeyId : null,
      model: has('model') ? (log.model ?? '') : null,
      endUserKind: has('end_user') ? (log.endUser === null ? ('none' as const) : ('named' as const)) : null,
      endUser: has('end_user') ? (log.endUser ?? '') : null,
      metadataKind: has('metadata') ? (value === undefined ? ('none' as const) : ('named' as const)) : null,
      metadataValue: has('metadata') ? (value ?? '') : null,
    }
    const before = groups.get(JSON.stringify(identity))
    groups.set(JSON.stringify(identity), {
      ...identity,
      requests: (before?.requests ?? 0) + 1,
      failedRequests: (before?.failedRequests ?? 0) + (log.status >= 400 && log.status !== 499 ? 1 : 0),
      promptTokens: (before?.promptTokens ?? 0) + log.promptTokens,
      cachedTokens: (before?.cachedTokens ?? 0) + log.cachedTokens,
      cacheCreationTokens: (before?.cacheCreationTokens ?? 0) + log.cacheCreationTokens,
      completionTokens: (before?.completionTokens ?? 0) + log.completionTokens,
      reasoningTokens: (before?.reasoningTokens ?? 0) + log.reasoningTokens,
      spentNanos: (before?.spentNanos ?? 0n) + log.costNanos,
    })
  }
  return [...groups.values()]
}

test('for any groups, filters and order, the pages of usage equal the sums of the log', async () => {
  const { sql } = database
  await fc.assert(
    fc.asyncProperty(
      anyFilter,
      anyValues,
      fc.constantFrom('team', 'env'),
      fc.uniqueArray(fc.constantFrom(...usageDimensions)),
      fc.constantFrom('group', 'spent', 'requests'),
      fc.constantFrom('asc', 'desc'),
      fc.integer({ min: 3, max: 30 }),
      async (others, metadataValues, metadataKey, groupBy, field, direction, limit) => {
        const metadata = metadataValues && { key: metadataKey, values: metadataValues }
        const filter = { ...others, metadata }
        const query = { accountId, filter, groupBy, metadataKey }
        const order = usageOrder(field, direction)
        const seen: UsageGroup[] = []
        for (let after: Position | undefined; ; ) {
          const slice = { limit, after }
          const found = await listUsage({ sql, clock }, { ...query, order, slice })
          seen.push(...found)
          const last = found.at(-1)
          if (!last || found.length < limit) break
          after = positionOfUsage(last, order)
        }
        const expected = summed(filter, query)
        expect(seen).toHaveLength(expected.length)
        expect(seen).toEqual(expect.arrayContaining(expected))
        if (field !== 'group') {
          const values = seen.map(({ spentNanos, requests }) =>
            field === 'spent' ? spentNanos : BigInt(requests),
          )
          const sorted = values.toSorted((one, other) => Number(one - other))
          expect(values).toEqual(direction === 'asc' ? sorted : sorted.reverse())
        }
        const count = await countUsage({ sql, clock }, { ...query, max: 1_000 })
        expect(count).toBe(expected.length)
      },
    ),
    { numRuns: 100 },
  )
})

test('end users after the first thousand form one group, distinct from any named one', async () => {
  const { sql } = database
  const account = systemIds.uuid()
  await sql`insert into usage_labels (account_id, day, label, number, value_count)
    values (${account}, '2026-07-15', '', 0, 1000)`
  await sql`insert into usage_values (account_id, day, label, value, place)
    select ${account}, '2026-07-15', '', 'user ' || n, n from generate_series(1, 1000) n`
  const createdAt = new Date(nowMs)
  for (const user of ['user 7', 'others', 'late', null])
    await aSettledRequest(sql, {
      accountId: account,
      keyId: keys[0] ?? '',
      createdAt,
      columns: { end_user: user },
    })
  const groups = await listUsage(
    { sql, clock },
    { accountId: account, filter: {}, groupBy: ['end_user'], slice: { limit: 10 } },
  )
  expect(groups.map(({ endUserKind, endUser, requests }) => [endUserKind, endUser, requests])).toEqual([
    ['others', '', 2],
    ['none', '', 1],
    ['named', 'user 7', 1],
  ])
})
