import { getRouteApi } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { BarChart } from '../../charts/bar-chart.tsx'
import { withFilter } from '../../lists/address.ts'
import { NoRequests } from '../../shell/no-requests.tsx'
import { useFormat, useText } from '../../text/language.ts'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { latenciesDocument } from './documents.ts'
import type { UsageFilter } from './filter.ts'
import { messages } from './messages.ts'

const route = getRouteApi('/account/usage')

/** The median and the 95th percentile of each day: the time of whole responses, or until the first byte. */
export function LatencyChart({
  days,
  filter,
  measure,
}: {
  days: readonly string[]
  filter: UsageFilter
  measure: 'duration' | 'firstByte'
}) {
  const text = useText(messages)
  const format = useFormat()
  const navigate = route.useNavigate()
  const { day } = route.useSearch()
  const query = useQuery({ query: latenciesDocument, variables: { filter } })
  if (filter.endUsers || filter.metadata) return <EmptyState icon="usage" title={text.noLatency} />
  return (
    <Loaded query={query} select={data => data.usage?.nodes} lines={6}>
      {found => {
        if (found.length === 0) return <NoRequests />
        const byDay = new Map(found.map(usage => [usage.day, usage]))
        return (
          <div className="flex flex-col gap-2 p-5">
            <BarChart
              title={`${text.measures[measure]}: ${text.byDay}`}
              bars={days.map(key => {
                const usage = byDay.get(key)
                const [median, p95] =
                  measure === 'duration'
                    ? [usage?.durationP50Ms, usage?.durationP95Ms]
                    : [usage?.firstByteP50Ms, usage?.firstByteP95Ms]
                return {
                  key,
                  label: format.day(key),
                  // The second part begins at the median, so that the bar ends at the 95th percentile.
                  values: [median ?? 0, Math.max(0, (p95 ?? 0) - (median ?? 0))],
                }
              })}
              series={[
                { name: text.median, colour: 'series-2' },
                { name: text.aboveMedian, colour: 'series-4' },
              ]}
              format={value => format.duration(Math.round(value))}
              chosen={day}
              onSelect={({ key }) => void navigate({ search: withFilter('day', key === day ? '' : key) })}
            />
            <p className="text-sm text-muted">{text.latencyNote}</p>
          </div>
        )
      }}
    </Loaded>
  )
}
