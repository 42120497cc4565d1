import { getOrCreate } from '../../platform/get-or-create.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { firstDayKept } from '../logs/keep-partitions.ts'
import type { UsageQuery } from './group-usage.ts'
import { addCount, percentileOf } from './latency-buckets.ts'
import type { UsageGroup } from './list-usage.ts'

/** How long the requests of a group took: median and 95th percentile, in milliseconds. Null if none was counted. */
export interface Latency {
  durationP50Ms: number | null
  durationP95Ms: number | null
  /** Until the first byte of streamed responses. */
  firstByteP50Ms: number | null
  firstByteP95Ms: number | null
}

/** What identifies a group of usage by day, key and model. */
type Group = Pick<UsageGroup, 'day' | 'keyId' | 'model'>

interface BucketRow extends Group {
  measure: 'durations' | 'first_bytes'
  bucket: number
  count: number
}

/**
 * Returns whether the latencies of a query's groups are known: they are counted by day, key and model, not by end user and
 * metadata.
 */
export function hasLatencies({ filter, groupBy }: UsageQuery): boolean {
  const { endUsers, metadata } = filter
  return (
    endUsers === undefined &&
    metadata === undefined &&
    !groupBy.some(dimension => dimension === 'end_user' || dimension === 'metadata')
  )
}

/**
 * Reads the latencies of groups that `listUsage` has listed for a query, with one statement. Resolves to a function that
 * returns the latency of a group.
 */
export async function readLatencies(
  sql: Sql,
  args: { query: UsageQuery; groups: readonly Group[]; nowMs: number },
): Promise<(group: Group) => Latency> {
  const { query, groups, nowMs } = args
  if (!hasLatencies(query)) throw new Error('latencies are not counted by end user and metadata')
  const rows = await readBuckets(sql, { query: narrowed(query, groups), nowMs })
  const counts = new Map<string, Record<BucketRow['measure'], number[]>>()
  for (const { measure, bucket, count, ...group } of rows) {
    const known = getOrCreate(counts, nameOf(group), () => ({ durations: [], first_bytes: [] }))
    addCount(known[measure], bucket, count)
  }
  return group => {
    const { durations = [], first_bytes: firstBytes = [] } = counts.get(nameOf(group)) ?? {}
    return {
      durationP50Ms: percentileOf(durations, 0.5),
      durationP95Ms: percentileOf(durations, 0.95),
      firstByteP50Ms: percentileOf(firstBytes, 0.5),
      firstByteP95Ms: percentileOf(firstBytes, 0.95),
    }
  }
}

function nameOf({ day, keyId, model }: Group): string {
  return `${day} ${keyId} ${model}`
}

/** Narrows a query to the days, keys and models of its groups, so that a page of many groups reads its own counts only. */
function narrowed(query: UsageQuery, groups: readonly Group[]): UsageQuery {
  const { filter, groupBy } = query
  const days = groups.flatMap(({ day }) => day ?? []).sort()
  return {
    ...query,
    filter: {
      ...filter,
      ...(groupBy.includes('day') && { since: days.at(0), until: days.at(-1) }),
      ...(groupBy.includes('api_key') && { keyIds: groups.flatMap(({ keyId }) => keyId ?? []) }),
      ...(groupBy.includes('model') && { models: groups.flatMap(({ model }) => model ?? []) }),
    },
  }
}

/** Reads the numbers of requests by group and bucket. */
function readBuckets(sql: Sql, { query, nowMs }: { query: UsageQuery; nowMs: number }) {
  const { accountId, filter, groupBy } = query
  const { since, until, keyIds, models } = filter
  const shown = (dimension: 'day' | 'api_key' | 'model', column: string) =>
    groupBy.includes(dimension) ? sql`l.${sql(column)}` : sql`null`
  return sql<BucketRow[]>`
    select to_char(day, 'YYYY-MM-DD') as day, key_id::text as "keyId", model, measure, bucket::int - 1 as bucket,
      sum(count)::float8 as count
    from (
      select ${shown('day', 'day')}::date as day, ${shown('api_key', 'api_key_id')}::uuid as key_id,
        ${shown('model', 'model')}::text as model, l.durations, l.first_bytes
      from usage_latencies l
      where l.account_id = ${accountId} and l.day >= ${firstDayKept(nowMs)}::date
        ${since === undefined ? sql`` : sql`and l.day >= ${since}::date`}
        ${until === undefined ? sql`` : sql`and l.day <= ${until}::date`}
        ${keyIds ? sql`and l.api_key_id = any(${keyIds}::uuid[])` : sql``}
        ${models ? sql`and l.model = any(${models}::text[])` : sql``}
    ) l
    cross join lateral (values ('durations', l.durations), ('first_bytes', l.first_bytes)) m (measure, counts)
    cross join unnest(m.counts) with ordinality b (count, bucket)
    group by 1, 2, 3, 4, 5
    having sum(count) > 0`
}
