import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import { firstDayKept } from '../logs/keep-partitions.ts'

/** The dimensions by which usage can be grouped. */
export const usageDimensions = ['day', 'api_key', 'model', 'end_user'] as const
export type UsageDimension = (typeof usageDimensions)[number]

/** A filter of usage. Usage must match every field, and any one of a field's values. */
export interface UsageFilter {
  /** The first UTC day, as YYYY-MM-DD; by default the first retained day. */
  since?: string | undefined
  /** The last UTC day, inclusive. */
  until?: string | undefined
  keyIds?: readonly string[] | undefined
  /** The models as named in the requests: `<vendor>/<model_name>`. */
  models?: readonly string[] | undefined
  /** The end users as named in the requests. End users that are counted together as `others` are not found by name. */
  endUsers?: readonly string[] | undefined
}

/** The kind of a group's end user: named, requests without an end user, or all end users after the first thousand. */
export type EndUserKind = 'named' | 'none' | 'others'

/** The usage of one group. Fields by which usage is not grouped are null. */
export interface UsageGroup {
  /** The UTC day, as YYYY-MM-DD. */
  day: string | null
  keyId: string | null
  /** The model as named in the requests; empty if they named none. */
  model: string | null
  endUserKind: EndUserKind | null
  /** The name; empty if the kind is not `named`. */
  endUser: string | null
  requests: number
  failedRequests: number
  promptTokens: number
  cachedTokens: number
  cacheCreationTokens: number
  completionTokens: number
  reasoningTokens: number
  spentNanos: bigint
}

/** The fields by which groups can be ordered, before their dimensions. */
const orders = {
  group: [],
  spent: [{ name: 'spent', type: 'bigint', direction: 'desc' }],
  requests: [{ name: 'requests', type: 'bigint', direction: 'desc' }],
} as const satisfies Record<string, KeysetOrder>

export type UsageOrderField = keyof typeof orders

/** The dimensions of a group, as text. No two groups have the same values. */
const identity = [
  { name: 'day', type: 'text' },
  { name: 'key_id', type: 'text' },
  { name: 'model', type: 'text' },
  { name: 'end_user_kind', type: 'text' },
  { name: 'end_user', type: 'text' },
] as const

/** Returns the columns of an order of groups; by default the grouped fields, with the latest day first. */
export function usageOrder(
  field: UsageOrderField = 'group',
  direction: 'asc' | 'desc' = 'desc',
): KeysetOrder {
  return [...orders[field], ...identity].map(column => ({ ...column, direction }))
}

/** Returns the position of a group in an order. */
export function positionOfUsage(group: UsageGroup, order: KeysetOrder): Position {
  const values = new Map([
    ['spent', String(group.spentNanos)],
    ['requests', String(group.requests)],
    ['day', group.day ?? ''],
    ['key_id', group.keyId ?? ''],
    ['model', group.model ?? ''],
    ['end_user_kind', group.endUserKind ?? ''],
    ['end_user', group.endUser ?? ''],
  ])
  return order.map(({ name }) => values.get(name) ?? '')
}

/** Lists usage of an account, a group for each combination of values that it is grouped by, from its counters. */
export async function listUsage(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  args: {
    accountId: string
    filter: UsageFilter
    groupBy: readonly UsageDimension[]
    slice: Slice
    order?: KeysetOrder
  },
): Promise<UsageGroup[]> {
  const { where, end } = keyset(sql, args.order ?? usageOrder(), args.slice)
  const has = (dimension: UsageDimension) => args.groupBy.includes(dimension)
  const shown = (dimension: UsageDimension, column: string) =>
    has(dimension) ? sql`${sql(column)}` : sql`null`
  return sql<UsageGroup[]>`
    select ${shown('day', 'day')} as day, ${shown('api_key', 'key_id')} as "keyId", ${shown('model', 'model')} as model,
      ${shown('end_user', 'end_user_kind')} as "endUserKind", ${shown('end_user', 'end_user')} as "endUser",
      requests::float8 as requests, failed_requests::float8 as "failedRequests",
      prompt_tokens::float8 as "promptTokens", cached_tokens::float8 as "cachedTokens",
      cache_creation_tokens::float8 as "cacheCreationTokens", completion_tokens::float8 as "completionTokens",
      reasoning_tokens::float8 as "reasoningTokens", spent as "spentNanos"
    from (${grouped(sql, { ...args, nowMs: clock.now() })}) grouped
    where true ${where} ${end}`
}

/** Counts the groups, up to `max`. */
export async function countUsage(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  args: { accountId: string; filter: UsageFilter; groupBy: readonly UsageDimension[]; max: number },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from (
      select from (${grouped(sql, { ...args, nowMs: clock.now() })}) grouped limit ${args.max}
    ) counted`
  return row?.total ?? 0
}

/** The groups with their sums. A value that is not grouped by is the same text in all of them. */
function grouped(
  sql: Sql,
  args: {
    accountId: string
    filter: UsageFilter
    groupBy: readonly UsageDimension[]
    nowMs: number
  },
) {
  const { accountId, groupBy, nowMs } = args
  const { since, until, keyIds, models } = args.filter
  const has = (dimension: UsageDimension) => groupBy.includes(dimension)
  const always = sql``
  return sql`
    select ${has('day') ? sql`to_char(c.day, 'YYYY-MM-DD')` : sql`''`} as day,
      ${has('api_key') ? sql`c.api_key_id::text` : sql`''`} as key_id,
      ${has('model') ? sql`c.model` : sql`''`} as model,
      ${has('end_user') ? sql`e.kind` : sql`''`} as end_user_kind, ${has('end_user') ? sql`e.name` : sql`''`} as end_user,
      sum(e.sign * c.requests)::bigint as requests, sum(e.sign * c.failed_requests)::bigint as failed_requests,
      sum(e.sign * c.prompt_tokens)::bigint as prompt_tokens, sum(e.sign * c.cached_tokens)::bigint as cached_tokens,
      sum(e.sign * c.cache_creation_tokens)::bigint as cache_creation_tokens,
      sum(e.sign * c.completion_tokens)::bigint as completion_tokens,
      sum(e.sign * c.reasoning_tokens)::bigint as reasoning_tokens, sum(e.sign * c.cost_nanos)::bigint as spent
    from usage_counters c ${endUsersOf(sql, { isGrouped: has('end_user'), endUsers: args.filter.endUsers })}
      and c.account_id = ${accountId} and c.day >= ${firstDayKept(nowMs)}::date
      ${since === undefined ? always : sql`and c.day >= ${since}::date`}
      ${until === undefined ? always : sql`and c.day <= ${until}::date`}
      ${keyIds ? sql`and c.api_key_id = any(${keyIds}::uuid[])` : always}
      ${models ? sql`and c.model = any(${models}::text[])` : always}
    group by ${groupedColumns(sql, groupBy)}
    having sum(e.sign * c.requests) <> 0`
}

/** As they are stored: to group by the texts that are shown takes twice as long. */
function groupedColumns(sql: Sql, groupBy: readonly UsageDimension[]) {
  const columns = {
    day: sql`c.day`,
    api_key: sql`c.api_key_id`,
    model: sql`c.model`,
    end_user: sql`e.kind, e.name`,
  }
  const [first, ...others] = groupBy
  if (!first) return sql`()`
  return others.reduce((all, dimension) => sql`${all}, ${columns[dimension]}`, columns[first])
}

/**
 * Returns the joins and the start of the condition that assign each counter its end user, as `e`. If the query does
 * not concern end users, the counters of all requests suffice. Usage without an end user is the total minus the usage
 * with one.
 */
function endUsersOf(
  sql: Sql,
  { isGrouped, endUsers }: { isGrouped: boolean; endUsers: readonly string[] | undefined },
) {
  const names = sql`usage_end_users n on n.account_id = c.account_id and n.day = c.day
    and n.place = c.end_user_place and n.end_user <> ''`
  if (endUsers)
    return sql`join ${names} cross join lateral (select 'named' as kind, n.end_user as name, 1 as sign) e
      where n.end_user = any(${endUsers}::text[]) and c.end_user_place > 0`
  if (!isGrouped)
    return sql`cross join (select '' as kind, '' as name, 1 as sign) e where c.end_user_place = 0`
  return sql`left join ${names} cross join lateral (
      select case when c.end_user_place > 0 then 'named' else 'others' end as kind, coalesce(n.end_user, '') as name,
        1 as sign
      where c.end_user_place <> 0
      union all
      select 'none', '', case when c.end_user_place = 0 then 1 else -1 end
    ) e where true`
}
