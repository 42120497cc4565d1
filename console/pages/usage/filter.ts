import type { VariablesOf } from '../../graph/documents.ts'
import type { Group, groupsDocument } from './documents.ts'
import type { Grouping, UsageSearch } from './search.ts'

const dayMs = 86_400_000

export type UsageFilter = NonNullable<VariablesOf<typeof groupsDocument>['filter']>

/** The UTC days of a period that ends today, oldest first. */
export function daysOf(count: number, nowMs: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(nowMs - (count - 1 - index) * dayMs).toISOString().slice(0, 10),
  )
}

/** The filters of the address as the graph takes them, for a period. */
export function filterOf(
  { model, key, endUser, metadata }: UsageSearch,
  { since, until }: { since: string | undefined; until: string | undefined },
): UsageFilter {
  return {
    since: since ?? null,
    until: until ?? null,
    models: model === undefined ? null : [model],
    apiKeyIds: key === undefined ? null : [key],
    endUsers: endUser === undefined ? null : [endUser],
    metadata: metadata === undefined ? null : [metadata],
  }
}

/** The arguments of the graph for a grouping. Without a key of metadata, usage cannot be grouped by it. */
export function groupingOf({ by = 'model', label }: UsageSearch) {
  const dimensions = { model: ['MODEL'], key: ['API_KEY'], endUser: ['END_USER'], metadata: [] } as const
  return {
    groupBy: [...dimensions[by]],
    groupByMetadata: by === 'metadata' ? (label ?? null) : null,
  }
}

/** The part of the address that narrows usage to a group; `undefined` if no filter can do that. */
export function narrowTo(
  group: Group,
  by: Grouping,
  label: string | undefined,
): Partial<UsageSearch> | undefined {
  switch (by) {
    case 'model':
      return group.modelName ? { model: group.modelName } : undefined
    case 'key':
      return group.apiKey ? { key: group.apiKey.id } : undefined
    case 'endUser':
      return group.endUser === null ? undefined : { endUser: group.endUser }
    case 'metadata':
      return group.metadataValue === null || label === undefined
        ? undefined
        : { metadata: `${label}=${group.metadataValue}` }
  }
}

/** The parameters of an export: the filters of the address, by day and by the grouping. */
export function exportParameters(search: UsageSearch, filter: UsageFilter): URLSearchParams {
  const { groupBy, groupByMetadata } = groupingOf(search)
  const parameters = new URLSearchParams()
  for (const dimension of ['DAY', ...groupBy]) parameters.append('group_by', dimension.toLowerCase())
  const single: [string, string | null | undefined][] = [
    ['group_by_metadata', groupByMetadata],
    ['since', filter.since],
    ['until', filter.until],
    ['model', filter.models?.[0]],
    ['api_key_id', filter.apiKeyIds?.[0]],
    ['end_user', filter.endUsers?.[0]],
    ['metadata', filter.metadata?.[0]],
  ]
  for (const [name, value] of single) if (value != null) parameters.append(name, value)
  return parameters
}
