import { getRouteApi, Link } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { atPage, hasFilter, pageArguments } from '../../lists/address.ts'
import { PagedList } from '../../lists/paged-list.tsx'
import { messages as shellMessages } from '../../shell/messages.ts'
import { useFormat, useText } from '../../text/language.ts'
import type { Column } from '../../ui/table.tsx'
import { Money } from '../../ui/values.tsx'
import { type Group, groupsDocument } from './documents.ts'
import { groupingOf, narrowTo, type UsageFilter } from './filter.ts'
import { messages } from './messages.ts'
import type { Grouping } from './search.ts'

const route = getRouteApi('/account/usage')
const pageSize = 25

/** The groups that cost most. The name of a group narrows the page to it. */
export function UsageGroups({ filter }: { filter: UsageFilter }) {
  const text = useText(messages)
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { by = 'model' } = search
  const { noRequests } = useText(shellMessages)
  const query = useQuery({
    query: groupsDocument,
    variables: { filter, ...groupingOf(search), ...pageArguments(search, pageSize) },
  })
  const columns = useColumns(by)
  const { model, key, endUser, metadata, day } = search
  const isFiltered = hasFilter({ model, key, endUser, metadata, day })
  return (
    <PagedList
      query={query}
      select={data => data.usage}
      lines={6}
      caption={`${text.groupBy}: ${text.groupings[by]}`}
      columns={columns}
      keyOf={keyOf}
      isFiltered={isFiltered}
      empty={<p className="p-5 text-muted">{noRequests}</p>}
      onTurn={place => void navigate({ search: atPage(place) })}
    />
  )
}

/** Identifies a group within its grouping. */
export function keyOf({
  modelName,
  apiKey,
  endUserKind,
  endUser,
  metadataKind,
  metadataValue,
}: Group): string {
  return JSON.stringify([modelName, apiKey?.id, endUserKind, endUser, metadataKind, metadataValue])
}

/** Returns the name of a group for people. */
export function useGroupName(by: Grouping): (group: Group) => string {
  const text = useText(messages)
  return ({ modelName, apiKey, endUserKind, endUser, metadataKind, metadataValue }) => {
    if (by === 'model') return modelName || text.noModel
    if (by === 'key') return apiKey?.name ?? text.removedKey
    const [kind, name] = by === 'endUser' ? [endUserKind, endUser] : [metadataKind, metadataValue]
    if (kind === 'NAMED') return name ?? ''
    return kind === 'OTHERS' ? text.rest[by] : text.none[by]
  }
}

function useColumns(by: Grouping): Column<Group>[] {
  const text = useText(messages)
  const format = useFormat()
  const nameOf = useGroupName(by)
  const { label } = route.useSearch()
  return [
    {
      id: 'name',
      header: text.groupings[by],
      cell: group => {
        const narrowed = narrowTo(group, by, label)
        if (!narrowed) return <span className="text-muted">{nameOf(group)}</span>
        return (
          <Link
            from="/usage"
            search={before => ({ ...atPage({})(before), ...narrowed })}
            className="block font-medium wrap-anywhere hover:underline @md:max-w-72 @md:truncate"
          >
            {nameOf(group)}
          </Link>
        )
      },
    },
    { id: 'requests', header: text.requests, align: 'end', cell: ({ requests }) => format.number(requests) },
    {
      id: 'failed',
      header: text.failed,
      align: 'end',
      from: '4xl',
      cell: ({ requests, failedRequests }) =>
        failedRequests === 0 ? (
          <span className="text-muted">0</span>
        ) : (
          <span title={format.number(failedRequests)}>{format.percent(failedRequests / requests)}</span>
        ),
    },
    {
      id: 'input',
      header: text.input,
      align: 'end',
      from: '4xl',
      cell: ({ promptTokens }) => format.number(promptTokens),
    },
    {
      id: 'output',
      header: text.output,
      align: 'end',
      from: '4xl',
      cell: ({ completionTokens }) => format.number(completionTokens),
    },
    ...useLatencyColumns(by),
    {
      id: 'spent',
      header: text.spent,
      align: 'end',
      cell: ({ spent }) => <Money amount={spent} isRounded />,
    },
  ]
}

/** How long requests took. By end user and metadata, that is not counted. */
function useLatencyColumns(by: Grouping): Column<Group>[] {
  const text = useText(messages)
  const format = useFormat()
  if (by === 'endUser' || by === 'metadata') return []
  const shown = (median: number | null, p95: number | null) =>
    median === null || p95 === null ? (
      <span className="text-muted">–</span>
    ) : (
      <span className="whitespace-nowrap">{`${format.duration(median)} · ${format.duration(p95)}`}</span>
    )
  return [
    {
      id: 'duration',
      header: text.duration,
      align: 'end',
      from: '2xl',
      cell: ({ durationP50Ms, durationP95Ms }) => shown(durationP50Ms, durationP95Ms),
    },
    {
      id: 'firstByte',
      header: text.firstByte,
      align: 'end',
      from: '4xl',
      cell: ({ firstByteP50Ms, firstByteP95Ms }) => shown(firstByteP50Ms, firstByteP95Ms),
    },
  ]
}
