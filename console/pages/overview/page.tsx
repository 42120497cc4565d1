import { getRouteApi, Link } from '@tanstack/react-router'
import { type ComponentProps, useState } from 'react'
import { useQuery } from 'urql'
import { BarChart } from '../../charts/bar-chart.tsx'
import type { ResultOf } from '../../graph/documents.ts'
import { NoRequests } from '../../shell/no-requests.tsx'
import { useBalance } from '../../shell/use-balance.ts'
import { sumMoney } from '../../text/decimal.ts'
import { useFormat, useText } from '../../text/language.ts'
import { Page, Panel, Tile } from '../../ui/page.tsx'
import { Loaded, type Query } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Money } from '../../ui/values.tsx'
import { overviewDocument } from './documents.ts'
import { measures } from './measures.ts'
import { messages } from './messages.ts'
import { type Periods, periodsAt } from './periods.ts'

const route = getRouteApi('/account/')

type Overview = ResultOf<typeof overviewDocument>
type Day = NonNullable<Overview['days']>['nodes'][number]

export default function OverviewPage() {
  const text = useText(messages)
  const [periods] = useState(() => periodsAt(Date.now()))
  const query = useQuery({
    query: overviewDocument,
    variables: { since: periods.lastMonthStart, month: periods.monthStart },
  })
  return (
    <Page title={text.title}>
      <div className="grid grid-cols-2 gap-3 max-md:*:last:col-span-2 md:max-xl:grid-cols-6 md:max-xl:*:col-span-2 md:max-xl:*:nth-[n+4]:col-span-3 xl:grid-cols-5">
        <BalanceTile query={query} />
        <SpendingTiles query={query} periods={periods} />
        <LatencyTile query={query} />
      </div>
      <Panel title={text.days} actions={<MeasureChoice />}>
        <Loaded query={query} select={data => data.days?.nodes} lines={6}>
          {days => (days.length === 0 ? <NoRequests /> : <DaysChart days={days} periods={periods} />)}
        </Loaded>
      </Panel>
      <div className="grid gap-6 lg:grid-cols-2">
        <TopModels query={query} />
        <TopKeys query={query} />
      </div>
    </Page>
  )
}

type OverviewQuery = Query<Overview>

/** The balance as it changes. Until the first change arrives, the balance of the query is shown. */
function BalanceTile({ query }: { query: OverviewQuery }) {
  const text = useText(messages)
  const format = useFormat()
  const live = useBalance()
  return (
    <Loaded query={query} select={data => live ?? data.me.balance}>
      {({ available, held }) => (
        <Tile
          label={text.available}
          note={Number(held) > 0 ? text.held(format.roundMoney(held)) : text.nothingHeld}
        >
          <Money amount={available} isRounded />
        </Tile>
      )}
    </Loaded>
  )
}

function SpendingTiles({ query, periods }: { query: OverviewQuery; periods: Periods }) {
  const text = useText(messages)
  const format = useFormat()
  return (
    <Loaded query={query} select={data => data.days?.nodes}>
      {days => {
        const since = (day: string) => days.filter(({ day: other }) => (other ?? '') >= day)
        const month = since(periods.monthStart)
        const lastMonth = days.filter(({ day }) => (day ?? '') < periods.monthStart)
        const spent = (some: readonly Day[]) => sumMoney(some.map(day => day.spent))
        const count = (some: readonly Day[], of: 'requests' | 'failedRequests') =>
          some.reduce((sum, day) => sum + day[of], 0)
        const requests = count(month, 'requests')
        return (
          <>
            <Tile label={text.today}>
              <Money amount={spent(since(periods.today))} isRounded />
            </Tile>
            <Tile label={text.month} note={text.lastMonth(format.roundMoney(spent(lastMonth)))}>
              <Money amount={spent(month)} isRounded />
            </Tile>
            <Tile
              label={text.requestsMonth}
              note={requests > 0 && text.failed(format.percent(count(month, 'failedRequests') / requests))}
            >
              {format.number(requests)}
            </Tile>
          </>
        )
      }}
    </Loaded>
  )
}

/** The median of how long requests of this month took, and in the note the 95th percentile. */
function LatencyTile({ query }: { query: OverviewQuery }) {
  const text = useText(messages)
  const format = useFormat()
  return (
    <Loaded query={query} select={data => data.month?.nodes}>
      {([month]) => {
        const { durationP50Ms = null, durationP95Ms = null } = month ?? {}
        return durationP50Ms === null || durationP95Ms === null ? (
          <Tile label={text.latency} note={text.notMeasured}>
            –
          </Tile>
        ) : (
          <Tile label={text.latency} note={text.p95(format.duration(durationP95Ms))}>
            {format.duration(durationP50Ms)}
          </Tile>
        )
      }}
    </Loaded>
  )
}

function MeasureChoice() {
  const text = useText(messages)
  const { measure = 'spent' } = route.useSearch()
  return (
    <Tabs
      label={text.measure}
      value={measure}
      options={measures.map(name => [name, text.measures[name]])}
      linkTo={name => ({ to: '/', search: { measure: name } })}
    />
  )
}

function DaysChart({ days, periods }: { days: readonly Day[]; periods: Periods }) {
  const text = useText(messages)
  const format = useFormat()
  const { measure = 'spent' } = route.useSearch()
  const byDay = new Map(days.map(day => [day.day, day]))
  const charts = {
    spent: {
      series: [{ name: text.series.spent, colour: 'series-1' as const }],
      values: (day: Day) => [Number(day.spent)],
      format: (value: number) => format.roundMoney(value.toFixed(9)),
    },
    requests: {
      series: [
        { name: text.series.succeeded, colour: 'series-2' as const },
        { name: text.series.failed, colour: 'series-1' as const },
      ],
      values: (day: Day) => [day.requests - day.failedRequests, day.failedRequests],
      format: format.compact,
    },
    tokens: {
      series: [
        { name: text.series.input, colour: 'series-2' as const },
        { name: text.series.output, colour: 'series-3' as const },
      ],
      values: (day: Day) => [day.promptTokens, day.completionTokens],
      format: format.compact,
    },
  }
  const { series, values, format: formatValue } = charts[measure]
  const bars = periods.chart.map(key => {
    const day = byDay.get(key)
    return { key, label: format.day(key), values: day ? values(day) : series.map(() => 0) }
  })
  return (
    <div className="p-5">
      <BarChart
        title={`${text.measures[measure]}: ${text.days}. ${text.utc}`}
        bars={bars}
        series={series}
        format={formatValue}
      />
    </div>
  )
}

/** The columns that both lists have. */
function useAmountColumns<Row extends { requests: number; spent: string }>(): Column<Row>[] {
  const text = useText(messages)
  const format = useFormat()
  return [
    { id: 'requests', header: text.requests, align: 'end', cell: ({ requests }) => format.number(requests) },
    {
      id: 'spent',
      header: text.spent,
      align: 'end',
      cell: ({ spent }) => <Money amount={spent} isRounded />,
    },
  ]
}

function TopTable<Row>(table: ComponentProps<typeof Table<Row>>) {
  const text = useText(messages)
  return table.rows.length === 0 ? <p className="p-5 text-muted">{text.nothing}</p> : <Table {...table} />
}

function TopModels({ query }: { query: OverviewQuery }) {
  const text = useText(messages)
  const amounts = useAmountColumns<NonNullable<Overview['models']>['nodes'][number]>()
  return (
    <Panel title={text.topModels}>
      <Loaded query={query} select={data => data.models?.nodes}>
        {models => (
          <TopTable
            caption={text.topModels}
            rows={models}
            keyOf={({ modelName }) => modelName ?? ''}
            columns={[
              {
                id: 'model',
                header: text.model,
                cell: ({ modelName }) =>
                  modelName === null ? (
                    text.unknown
                  ) : (
                    <Link to="/requests" search={{ model: modelName }} className="hover:underline">
                      {modelName}
                    </Link>
                  ),
              },
              ...amounts,
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function TopKeys({ query }: { query: OverviewQuery }) {
  const text = useText(messages)
  const amounts = useAmountColumns<NonNullable<Overview['keys']>['nodes'][number]>()
  return (
    <Panel title={text.topKeys}>
      <Loaded query={query} select={data => data.keys?.nodes}>
        {keys => (
          <TopTable
            caption={text.topKeys}
            rows={keys}
            keyOf={({ apiKey }) => apiKey?.id ?? ''}
            columns={[
              { id: 'key', header: text.key, cell: ({ apiKey }) => apiKey?.name ?? text.removedKey },
              ...amounts,
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}
