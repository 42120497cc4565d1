import { getRouteApi } from '@tanstack/react-router'
import { BarChart } from '../../charts/bar-chart.tsx'
import { withFilter } from '../../lists/address.ts'
import { useFormat, useText } from '../../text/language.ts'
import type { RequestsData } from './documents.ts'
import { messages } from './messages.ts'
import { type Period, slotsOf } from './slots.ts'

const route = getRouteApi('/account/requests')

/**
 * Requests and errors by time. A bar narrows the list to its slot; the chosen one shows the whole period again. `raised` is the
 * bar of the request that is pointed at.
 */
export function RequestHistogram({
  data,
  period,
  raised,
}: {
  data: RequestsData
  period: Period
  raised: string | undefined
}) {
  const text = useText(messages)
  const format = useFormat()
  const navigate = route.useNavigate()
  const { slot, status } = route.useSearch()
  const slots = slotsOf(data, period)
  const countedSince = data.histogram?.countedSince
  const isCut = countedSince !== undefined && Date.parse(countedSince) > period.since.getTime()
  const notes = [
    status !== undefined && text.allStatuses,
    period.isByDay && text.utcDays,
    isCut && text.countedSince(format.dateTime(countedSince)),
  ].filter(note => note !== false)
  if (slots.every(({ requests }) => requests === 0))
    return <p className="p-5 text-muted">{text.noneInPeriod}</p>
  return (
    <div className="flex flex-col gap-2 p-5">
      <BarChart
        title={text.histogram}
        bars={slots.map(({ start, requests, failed }) => ({
          key: start,
          label: period.isByDay ? format.day(start) : format.dateTime(start),
          values: [requests - failed, failed],
        }))}
        series={[
          { name: text.answered, colour: 'series-2' },
          { name: text.failed, colour: 'series-1' },
        ]}
        format={format.compact}
        isLow
        chosen={slot}
        raised={raised}
        onSelect={({ key }) => void navigate({ search: withFilter('slot', key === slot ? '' : key) })}
      />
      {notes.length > 0 && <p className="text-sm text-muted">{notes.join(' ')}</p>}
    </div>
  )
}
