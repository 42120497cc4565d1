import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Context } from '../context.ts'
import { groupUsage, type UsageDimension, type UsageQuery } from './group-usage.ts'

/** The kind of a group's end user or value of metadata: a named one, requests without any, or all after the first thousand. */
export type LabelKind = 'named' | 'none' | 'others'

/** The usage of one group. Fields by which usage is not grouped are null. */
export interface UsageGroup {
  /** The UTC day, as YYYY-MM-DD. */
  day: string | null
  keyId: string | null
  /** The model as named in the requests; empty if they named none. */
  model: string | null
  endUserKind: LabelKind | null
  /** The name; empty if the kind is not `named`. */
  endUser: string | null
  metadataKind: LabelKind | null
  /** The value of the key by which usage is grouped; empty if the kind is not `named`. */
  metadataValue: string | null
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
  spent: [{ name: 'cost_nanos', type: 'bigint', direction: 'desc' }],
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
  { name: 'metadata_kind', type: 'text' },
  { name: 'metadata_value', type: 'text' },
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
    ['cost_nanos', String(group.spentNanos)],
    ['requests', String(group.requests)],
    ['day', group.day ?? ''],
    ['key_id', group.keyId ?? ''],
    ['model', group.model ?? ''],
    ['end_user_kind', group.endUserKind ?? ''],
    ['end_user', group.endUser ?? ''],
    ['metadata_kind', group.metadataKind ?? ''],
    ['metadata_value', group.metadataValue ?? ''],
  ])
  return order.map(({ name }) => values.get(name) ?? '')
}

/** Lists usage of an account, a group for each combination of values that it is grouped by, from its counters. */
export async function listUsage(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  args: UsageQuery & { slice: Slice; order?: KeysetOrder },
): Promise<UsageGroup[]> {
  const { where, end } = keyset(sql, args.order ?? usageOrder(), args.slice)
  const has = (dimension: UsageDimension) => args.groupBy.includes(dimension)
  const shown = (dimension: UsageDimension, column: string) =>
    has(dimension) ? sql`${sql(column)}` : sql`null`
  return sql<UsageGroup[]>`
    select ${shown('day', 'day')} as day, ${shown('api_key', 'key_id')} as "keyId", ${shown('model', 'model')} as model,
      ${shown('end_user', 'end_user_kind')} as "endUserKind", ${shown('end_user', 'end_user')} as "endUser",
      ${shown('metadata', 'metadata_kind')} as "metadataKind", ${shown('metadata', 'metadata_value')} as "metadataValue",
      requests::float8 as requests, failed_requests::float8 as "failedRequests",
      prompt_tokens::float8 as "promptTokens", cached_tokens::float8 as "cachedTokens",
      cache_creation_tokens::float8 as "cacheCreationTokens", completion_tokens::float8 as "completionTokens",
      reasoning_tokens::float8 as "reasoningTokens", cost_nanos as "spentNanos"
    from (${groupUsage(sql, args, clock.now())}) grouped
    where true ${where} ${end}`
}

/** Counts the groups, up to `max`. */
export async function countUsage(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  args: UsageQuery & { max: number },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from (
      select from (${groupUsage(sql, args, clock.now())}) grouped limit ${args.max}
    ) counted`
  return row?.total ?? 0
}
