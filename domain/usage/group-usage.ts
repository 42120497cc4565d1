import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { firstDayKept } from '../logs/keep-partitions.ts'

/** The dimensions by which usage can be grouped. */
export const usageDimensions = ['day', 'api_key', 'model', 'end_user', 'metadata'] as const
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
  /**
   * Values of one key of metadata, which is also the key by which usage is grouped. Values that are counted together as
   * `others` are not found by name.
   */
  metadata?: { key: string; values: readonly string[] } | undefined
}

/** Which usage is listed, and how it is grouped. */
export interface UsageQuery {
  accountId: string
  filter: UsageFilter
  groupBy: readonly UsageDimension[]
  /** The key of metadata by which usage is grouped, if it is grouped by metadata. */
  metadataKey?: string | undefined
}

/** The columns of the counters that are added up. */
const figures = [
  'requests',
  'failed_requests',
  'prompt_tokens',
  'cached_tokens',
  'cache_creation_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'cost_nanos',
] as const

/**
 * Returns the query of the groups with their sums. A value that is not grouped by is the same text in all of them. The
 * counters are added up by place first, because there are few places and many counters.
 */
export function groupUsage(sql: Sql, query: UsageQuery, nowMs: number) {
  const { accountId, filter, groupBy } = query
  const { keyIds, models, endUsers, metadata } = filter
  const has = (dimension: UsageDimension) => groupBy.includes(dimension)
  const shown = (dimension: UsageDimension, column: string) => (has(dimension) ? sql(column) : sql`''`)
  const days = daysOf(sql, filter, nowMs)
  const endUser = labelOf(sql, {
    alias: 'e',
    column: 'end_user_place',
    label: '',
    values: endUsers,
    isSearched: true,
    isGrouped: has('end_user'),
    accountId,
    days,
  })
  const pair = labelOf(sql, {
    alias: 'm',
    column: 'metadata_place',
    label: metadata?.key ?? query.metadataKey ?? '',
    values: metadata?.values,
    isSearched: endUsers === undefined,
    isGrouped: has('metadata'),
    accountId,
    days,
  })
  return sql`
    select ${has('day') ? sql`to_char(c.day, 'YYYY-MM-DD')` : sql`''`} as day,
      ${has('api_key') ? sql`c.api_key_id::text` : sql`''`} as key_id, ${shown('model', 'c.model')} as model,
      ${shown('end_user', 'e.kind')} as end_user_kind, ${shown('end_user', 'e.value')} as end_user,
      ${shown('metadata', 'm.kind')} as metadata_kind, ${shown('metadata', 'm.value')} as metadata_value
      ${figures.map(figure => sql`, sum(e.sign * m.sign * c.${sql(figure)})::bigint as ${sql(figure)}`)}
    from (
      select c.day, ${has('api_key') ? sql`c.api_key_id` : sql`null`} as api_key_id,
        ${has('model') ? sql`c.model` : sql`null`} as model, c.end_user_place, c.metadata_place
        ${figures.map(figure => sql`, sum(c.${sql(figure)}) as ${sql(figure)}`)}
      from current_usage c
      where c.account_id = ${accountId} and ${days} and ${endUser.isCounted} and ${pair.isCounted}
        ${keyIds ? sql`and c.api_key_id = any(${keyIds}::uuid[])` : sql``}
        ${models ? sql`and c.model = any(${models}::text[])` : sql``}
      group by 1, 2, 3, 4, 5
    ) c ${endUser.join} ${pair.join}
    group by ${groupedColumns(sql, groupBy)}
    having sum(e.sign * m.sign * c.requests) <> 0`
}

/** Returns the condition on the days of a table. */
function daysOf(sql: Sql, { since, until }: UsageFilter, nowMs: number) {
  return sql`day >= ${firstDayKept(nowMs)}::date
    ${since === undefined ? sql`` : sql`and day >= ${since}::date`}
    ${until === undefined ? sql`` : sql`and day <= ${until}::date`}`
}

/** As they are stored: to group by the texts that are shown takes twice as long. */
function groupedColumns(sql: Sql, groupBy: readonly UsageDimension[]) {
  const columns = {
    day: sql`c.day`,
    api_key: sql`c.api_key_id`,
    model: sql`c.model`,
    end_user: sql`e.kind, e.value`,
    metadata: sql`m.kind, m.value`,
  }
  const [first, ...others] = groupBy
  if (!first) return sql`()`
  return others.reduce((all, dimension) => sql`${all}, ${columns[dimension]}`, columns[first])
}

/**
 * Returns how a query treats a label of requests: the condition on the counters that it reads, and the join that assigns
 * each of them its value. If the query does not concern the label, the counters of all values suffice. Usage without a
 * value is the total minus the usage with one.
 */
function labelOf(
  sql: Sql,
  args: {
    alias: string
    column: string
    label: string
    values: readonly string[] | undefined
    /** Whether Postgres may start with the values. If false, it starts with another label. */
    isSearched: boolean
    isGrouped: boolean
    accountId: string
    days: ReturnType<typeof daysOf>
  },
) {
  const { label, values, isGrouped, accountId, days } = args
  const [alias, found, place] = [sql(args.alias), sql(`${args.alias}_found`), sql(`c.${args.column}`)]
  if (values === undefined && !isGrouped)
    return { isCounted: sql`${place} = 0`, join: sql`cross join (select 1 as sign) ${alias}` }
  const named = sql`
    select day, place, 'named' as kind, value, 1 as sign from usage_values
    where account_id = ${accountId} and ${days} and label = ${label}`
  if (values) {
    const chosen = sql`(${named} and value = any(${values}::text[]))`
    return {
      // The first condition excludes partitions. `is true` keeps Postgres from starting with the second.
      isCounted: sql`${place} <> 0
        and ((c.day, ${place}) in (select day, place from ${chosen} chosen)) ${args.isSearched ? sql`` : sql`is true`}`,
      join: sql`join ${chosen} ${alias} on ${alias}.day = c.day and ${alias}.place = ${place}`,
    }
  }
  const all = sql`(
    ${named}
    union all
    select day, -1 - number, 'others', '', 1 from usage_labels
    where account_id = ${accountId} and ${days} and label = ${label})`
  return {
    // Every place of an end user belongs to the label.
    isCounted:
      label === ''
        ? sql`true`
        : sql`(${place} = 0 or (c.day, ${place}) in (select day, place from ${all} places))`,
    join: sql`left join ${all} ${found} on ${found}.day = c.day and ${found}.place = ${place}
      cross join lateral (
        select ${found}.kind, ${found}.value, 1 as sign where ${found}.place is not null
        union all
        select 'none', '', case when ${found}.place is null then 1 else -1 end
      ) ${alias}`,
  }
}
