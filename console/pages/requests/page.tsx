import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useQuery } from 'urql'
import { atPage, hasFilter, pageArguments, withFilter } from '../../lists/address.ts'
import { ColumnChooser } from '../../lists/column-chooser.tsx'
import { PagedList } from '../../lists/paged-list.tsx'
import { NoRequests } from '../../shell/no-requests.tsx'
import { useFormat, useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Money, Time } from '../../ui/values.tsx'
import { type RequestRow, requestsDocument } from './documents.ts'
import { RequestFilters } from './filters.tsx'
import { RequestHistogram } from './histogram.tsx'
import { messages } from './messages.ts'
import { RequestDialog } from './request-dialog.tsx'
import { type ColumnName, columnNames, type RequestsSearch } from './search.ts'
import { type Period, periodOf, shownTimes, slotOfTime } from './slots.ts'
import { RequestStatus } from './status.tsx'

const route = getRouteApi('/account/requests')
const pageSize = 50
const hourMs = 3_600_000

export default function RequestsPage() {
  const text = useText(messages)
  const { request, ...shown } = route.useSearch()
  const navigate = route.useNavigate()
  // A period counts from the moment in which it was chosen.
  const period = useMemo(() => periodOf({ hours: shown.hours }, Date.now()), [shown.hours])
  const query = useQuery({
    query: requestsDocument,
    variables: { ...pageArguments(shown, pageSize), ...filtersOf(shown, period) },
  })
  const [pointedTime, setPointedTime] = useState<string>()
  const columns = useColumns()
  const { model, key, status, hours, slot } = shown
  const isFiltered = hasFilter({ model, key, status, hours, slot })
  return (
    <Page title={text.title} intro={text.intro}>
      <RequestFilters />
      <Panel title={text.histogram}>
        <Loaded query={query} select={data => ((data.days ?? data.histogram) ? data : null)} lines={4}>
          {data => (
            <RequestHistogram
              data={data}
              period={period}
              raised={pointedTime && slotOfTime(pointedTime, period)}
            />
          )}
        </Loaded>
      </Panel>
      <Panel title={text.list} actions={<ListActions period={period} />}>
        <PagedList
          query={query}
          select={data => data.requests}
          lines={8}
          caption={text.title}
          columns={columns}
          keyOf={({ id }) => id}
          isFiltered={isFiltered}
          empty={<NoRequests />}
          onTurn={place => void navigate({ search: atPage(place) })}
          onPoint={row => setPointedTime(row?.createdAt)}
        />
      </Panel>
      {request !== undefined && (
        <RequestDialog id={request} onClose={() => void navigate({ search: shown })} />
      )}
    </Page>
  )
}

/** The filters of the address as the graph takes them: for the list, and for the bars, which count every status. */
function filtersOf(search: RequestsSearch, period: Period) {
  const { model, key, status } = search
  const models = model === undefined ? null : [model]
  const apiKeyIds = key === undefined ? null : [key]
  const { since, until } = shownTimes(search, period)
  return {
    filter: { models, apiKeyIds, statuses: status === undefined ? null : [status], since, until },
    byDay: period.isByDay,
    days: { models, apiKeyIds, since: period.since.toISOString().slice(0, 10) },
    period: { models, apiKeyIds, since: period.since.toISOString(), until: period.until.toISOString() },
    slot: period.slotMs === hourMs ? ('HOUR' as const) : ('FIVE_MINUTES' as const),
  }
}

/** The slot to which the list is narrowed, and the choice of the columns. */
function ListActions({ period }: { period: Period }) {
  const text = useText(messages)
  const format = useFormat()
  const navigate = route.useNavigate()
  const { slot, columns } = route.useSearch()
  const headers = useHeaders()
  const choose = (names: readonly ColumnName[] | undefined) =>
    void navigate({ search: before => ({ ...before, columns: names }), replace: true })
  return (
    <div className="flex flex-wrap items-center gap-2">
      {slot !== undefined && (
        <Button kind="quiet" icon="close" onClick={() => void navigate({ search: withFilter('slot', '') })}>
          <span className="sr-only">{text.wholePeriod}: </span>
          {text.slot(period.isByDay ? format.day(slot) : format.dateTime(slot))}
        </Button>
      )}
      <ColumnChooser
        columns={columnNames.map(name => [name, headers[name]])}
        shown={columns ?? usualColumns}
        onChange={choose}
        onReset={columns && (() => choose(undefined))}
      />
    </div>
  )
}

/** The columns that are shown until the reader chooses others. */
const usualColumns: readonly ColumnName[] = ['model', 'status', 'key', 'tokens', 'duration', 'cost']

function useHeaders(): Record<ColumnName, string> {
  const text = useText(messages)
  const { model, status, key, endUser, vendor, tokens, firstByte, duration, cost } = text
  return { model, status, key, endUser, vendor, tokens, firstByte, duration, cost }
}

/** The time, and the chosen columns. The usual ones are fewer on narrow screens; chosen ones are always shown. */
function useColumns(): Column<RequestRow>[] {
  const text = useText(messages)
  const headers = useHeaders()
  const { columns } = route.useSearch()
  const cells = useCells()
  const isStatusShown = (columns ?? usualColumns).includes('status')
  return [
    {
      id: 'time',
      header: text.time,
      cell: row => (
        <Link
          from="/requests"
          search={before => ({ ...before, request: row.id })}
          className="hover:underline"
        >
          <Time value={row.createdAt} />
          {columns === undefined && isStatusShown && (
            <span className="mt-0.5 block @xl:hidden">
              <RequestStatus request={row} />
            </span>
          )}
        </Link>
      ),
    },
    ...(columns ?? usualColumns).map(name => {
      const { from, ...column } = cells[name]
      return { id: name, header: headers[name], ...column, ...(columns === undefined && from && { from }) }
    }),
  ]
}

function useCells(): Record<ColumnName, Omit<Column<RequestRow>, 'id' | 'header'>> {
  const format = useFormat()
  return {
    model: {
      cell: ({ modelName, route: path }) => (
        <span className="block truncate @md:max-w-36 @4xl:max-w-64">{modelName ?? path}</span>
      ),
    },
    status: { from: 'xl', cell: row => <RequestStatus request={row} /> },
    key: { from: '4xl', cell: ({ apiKey }) => apiKey?.name },
    endUser: { cell: ({ endUser }) => <span className="block max-w-40 truncate">{endUser}</span> },
    vendor: { cell: ({ vendor }) => vendor?.toLowerCase() },
    tokens: {
      align: 'end',
      from: '4xl',
      cell: ({ promptTokens, completionTokens }) =>
        `${format.number(promptTokens)} → ${format.number(completionTokens)}`,
    },
    firstByte: {
      align: 'end',
      cell: ({ firstByteMs }) => firstByteMs !== null && format.duration(firstByteMs),
    },
    duration: { align: 'end', from: 'xl', cell: row => format.duration(row.durationMs) },
    cost: {
      align: 'end',
      cell: ({ cost, usageEstimated }) => (
        <span className="whitespace-nowrap">
          {usageEstimated && '≈ '}
          <Money amount={cost} isRounded />
        </span>
      ),
    },
  }
}
