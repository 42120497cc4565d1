import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useQuery } from 'urql'
import { atPage, hasFilter, pageArguments, withFilter } from '../../../lists/address.ts'
import { startOf } from '../../../lists/days.ts'
import { FilterSelect, Filters, FilterText } from '../../../lists/filters.tsx'
import { PagedList } from '../../../lists/paged-list.tsx'
import { useText } from '../../../text/language.ts'
import { Badge, Page, Panel } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { type PlatformEntry, platformLogDocument } from './documents.ts'
import { messages } from './messages.ts'
import type { PlatformLogSearch } from './search.ts'

const route = getRouteApi('/operator/audit-log')
const pageSize = 50

export default function PlatformLogPage() {
  const text = useText(messages)
  const navigate = route.useNavigate()
  const { action, operator, target, from, to, ...place } = route.useSearch()
  const filter = useMemo(
    () => ({
      actions: action === undefined ? null : [action],
      operators: operator === undefined ? null : [operator],
      targetIds: target === undefined ? null : [target],
      since: startOf(from) ?? null,
      until: startOf(to, 1) ?? null,
    }),
    [action, operator, target, from, to],
  )
  const query = useQuery({
    query: platformLogDocument,
    variables: { ...pageArguments(place, pageSize), filter },
  })
  const columns = useColumns()
  const isFiltered = hasFilter(filter)
  const set = (name: keyof PlatformLogSearch) => (value: string) =>
    void navigate({ search: withFilter(name, value) })
  return (
    <Page title={text.title} intro={text.intro}>
      <Filters isFiltered={isFiltered} onClear={() => void navigate({ search: {} })}>
        <FilterSelect
          label={text.action}
          value={action}
          options={Object.entries(text.actions)}
          onChange={set('action')}
        />
        <FilterText label={text.operator} value={operator} onChange={set('operator')} />
        <FilterText label={text.target} value={target} onChange={set('target')} />
        <FilterText label={text.from} type="date" value={from} onChange={set('from')} />
        <FilterText label={text.to} type="date" value={to} onChange={set('to')} />
      </Filters>
      <Panel>
        <PagedList
          query={query}
          select={data => data.auditEntries}
          lines={8}
          caption={text.title}
          columns={columns}
          keyOf={({ id }) => id}
          isFiltered={isFiltered}
          empty={
            <EmptyState icon="history" title={text.emptyTitle}>
              {text.empty}
            </EmptyState>
          }
          onTurn={turned => void navigate({ search: atPage(turned) })}
        />
      </Panel>
    </Page>
  )
}

function useColumns(): Column<PlatformEntry>[] {
  const text = useText(messages)
  const actions: Record<string, string> = text.actions
  const nameOf = (action: string) => (Object.hasOwn(actions, action) ? actions[action] : action)
  return [
    { id: 'time', header: text.time, cell: ({ createdAt }) => <Time value={createdAt} /> },
    {
      id: 'action',
      header: text.action,
      cell: entry => (
        <>
          <span className="inline-flex flex-wrap items-center gap-x-2">
            {nameOf(entry.action)}
            {entry.outcome === 'UNKNOWN' && <Badge tone="warn">{text.unfinished}</Badge>}
          </span>
          <span className="block text-sm text-muted @xl:hidden">{entry.operator ?? text.command}</span>
          <span className="block text-sm @2xl:hidden">
            <ObjectOf entry={entry} />
          </span>
        </>
      ),
    },
    {
      id: 'operator',
      header: text.operator,
      from: 'xl',
      cell: ({ operator }) => operator ?? text.command,
    },
    {
      id: 'object',
      header: text.object,
      from: '2xl',
      cell: entry => <ObjectOf entry={entry} />,
    },
    { id: 'address', header: text.address, from: '4xl', cell: ({ address }) => address },
  ]
}

/** The changed object, and the names of its changed fields. */
function ObjectOf({ entry: { targetType, targetId, fields } }: { entry: PlatformEntry }) {
  return (
    <>
      {targetType === 'Model' && targetId !== null ? (
        <Link
          to="/operator/catalogue/$modelId"
          params={{ modelId: targetId }}
          className="wrap-anywhere hover:underline"
        >
          {targetId}
        </Link>
      ) : (
        <span className="wrap-anywhere">{targetId}</span>
      )}
      <span className="block max-w-sm truncate font-mono text-xs text-muted">{fields.join(', ')}</span>
    </>
  )
}
