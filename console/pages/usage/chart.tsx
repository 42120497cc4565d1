import { getRouteApi } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { BarChart, type Series } from '../../charts/bar-chart.tsx'
import { withFilter } from '../../lists/address.ts'
import { NoRequests } from '../../shell/no-requests.tsx'
import { useFormat, useText } from '../../text/language.ts'
import { Loaded } from '../../ui/states.tsx'
import { type Day, daysDocument, type Group, seriesDocument } from './documents.ts'
import { groupingOf, narrowTo, type UsageFilter } from './filter.ts'
import { useGroupName } from './groups.tsx'
import { messages } from './messages.ts'
import type { Measure, UsageSearch } from './search.ts'
import { stacksOf } from './stacks.ts'

const route = getRouteApi('/account/usage')

/** A measure that can be added up over groups. */
type SummedMeasure = Exclude<Measure, 'duration' | 'firstByte'>

/** Usage by day, stacked by the three groups that cost most, and the others. A bar narrows the list to its day. */
export function UsageChart({
  days,
  filter,
  measure,
}: {
  days: readonly string[]
  filter: UsageFilter
  measure: SummedMeasure
}) {
  const search = route.useSearch()
  const query = useQuery({ query: daysDocument, variables: { filter, ...groupingOf(search) } })
  return (
    <Loaded
      query={query}
      select={({ days: found, top }) => found && top && { found: found.nodes, top: top.nodes }}
      lines={6}
    >
      {({ found, top }) =>
        found.length === 0 ? (
          <NoRequests />
        ) : (
          <Stacks days={days} filter={filter} totals={found} top={top} search={search} measure={measure} />
        )
      }
    </Loaded>
  )
}

const colours = ['series-1', 'series-2', 'series-3'] as const

function Stacks({
  days,
  filter,
  totals,
  top,
  search,
  measure,
}: {
  days: readonly string[]
  filter: UsageFilter
  totals: readonly Day[]
  top: readonly Group[]
  search: UsageSearch
  measure: SummedMeasure
}) {
  const text = useText(messages)
  const format = useFormat()
  const navigate = route.useNavigate()
  const { by = 'model', label, day: chosen } = search
  const nameOf = useGroupName(by)
  // Groups that no filter selects, such as requests without an end user, are in the rest.
  const groups = top.filter(group => narrowTo(group, by, label)).slice(0, colours.length)
  const [one, two, three] = groups.map(group => filterOfGroup(filter, narrowTo(group, by, label)))
  const [{ data }] = useQuery({
    query: seriesDocument,
    variables: {
      one: one ?? null,
      two: two ?? null,
      three: three ?? null,
      hasTwo: two !== undefined,
      hasThree: three !== undefined,
    },
    pause: one === undefined,
  })
  const parts = [data?.one, data?.two, data?.three].slice(0, groups.length).map(part => part?.nodes ?? [])
  const { stacks, hasRest } = stacksOf({ days, totals, parts, measureOf: measureIn(measure) })
  const series: Series[] = groups.map((group, index) => ({
    name: nameOf(group),
    colour: colours[index] ?? 'series-4',
  }))
  if (hasRest || series.length === 0) series.push({ name: text.others, colour: 'series-4' })
  return (
    <div className="p-5">
      <BarChart
        title={`${text.measures[measure]}: ${text.byDay}`}
        bars={stacks.map(({ day, values }) => ({
          key: day,
          label: format.day(day),
          values: values.slice(0, series.length),
        }))}
        series={series}
        format={value => (measure === 'spent' ? format.roundMoney(value.toFixed(9)) : format.compact(value))}
        chosen={chosen}
        onSelect={({ key }) => void navigate({ search: withFilter('day', key === chosen ? '' : key) })}
      />
    </div>
  )
}

function measureIn(measure: SummedMeasure): (day: Day) => number {
  return {
    spent: (day: Day) => Number(day.spent),
    requests: (day: Day) => day.requests,
    tokens: (day: Day) => day.promptTokens + day.completionTokens,
  }[measure]
}

function filterOfGroup(filter: UsageFilter, narrowed: Partial<UsageSearch> | undefined): UsageFilter {
  const { model, key, endUser, metadata } = narrowed ?? {}
  return {
    ...filter,
    ...(model !== undefined && { models: [model] }),
    ...(key !== undefined && { apiKeyIds: [key] }),
    ...(endUser !== undefined && { endUsers: [endUser] }),
    ...(metadata !== undefined && { metadata: [metadata] }),
  }
}
