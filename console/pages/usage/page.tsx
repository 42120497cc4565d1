import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { faultText } from '../../graph/faults.ts'
import { download } from '../../session/download.ts'
import { useFormat, useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { notify } from '../../ui/toasts.tsx'
import { UsageChart } from './chart.tsx'
import { daysOf, exportParameters, filterOf } from './filter.ts'
import { UsageFilters } from './filters.tsx'
import { UsageGroups } from './groups.tsx'
import { LatencyChart } from './latency-chart.tsx'
import { messages } from './messages.ts'
import { groupings, measures } from './search.ts'

const route = getRouteApi('/account/usage')

export default function UsagePage() {
  const text = useText(messages)
  const format = useFormat()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [nowMs] = useState(Date.now)
  const { by = 'model', label, day, measure = 'spent' } = search
  const days = daysOf(Number(search.days ?? 30), nowMs)
  const period = filterOf(search, { since: days[0], until: undefined })
  const filter = day === undefined ? period : filterOf(search, { since: day, until: day })
  const needsLabel = by === 'metadata' && label === undefined
  return (
    <Page
      title={text.title}
      intro={text.intro}
      actions={<Exports parameters={exportParameters(search, filter)} />}
    >
      <UsageFilters />
      <Panel
        title={text.byDay}
        actions={
          <Tabs
            label={text.measure}
            value={measure}
            options={measures.map(name => [name, text.measures[name]])}
            linkTo={name => ({ to: '/usage', search: { ...search, measure: name } })}
          />
        }
      >
        {measure === 'duration' || measure === 'firstByte' ? (
          <LatencyChart days={days} filter={period} measure={measure} />
        ) : needsLabel ? (
          <NoLabel />
        ) : (
          <UsageChart days={days} filter={period} measure={measure} />
        )}
      </Panel>
      <Panel
        title={day === undefined ? text.groupBy : text.day(format.day(day))}
        actions={
          <div className="flex flex-wrap items-center gap-2">
            {day !== undefined && (
              <Button
                kind="quiet"
                icon="close"
                onClick={() => void navigate({ search: ({ day: _, ...rest }) => rest })}
              >
                {text.allDays}
              </Button>
            )}
            <Tabs
              label={text.groupBy}
              value={by}
              options={groupings.map(name => [name, text.groupings[name]])}
              linkTo={name => ({
                to: '/usage',
                search: { ...search, by: name, after: undefined, before: undefined },
              })}
            />
          </div>
        }
      >
        {needsLabel ? <NoLabel /> : <UsageGroups filter={filter} />}
      </Panel>
    </Page>
  )
}

function NoLabel() {
  const text = useText(messages)
  return (
    <EmptyState icon="usage" title={text.labelTitle}>
      {text.labelText}
    </EmptyState>
  )
}

function Exports({ parameters }: { parameters: URLSearchParams }) {
  const text = useText(messages)
  const [isBusy, setIsBusy] = useState(false)
  const run = (format: 'csv' | 'ndjson') => {
    setIsBusy(true)
    download(`/usage.${format}?${parameters}`, `usage.${format}`)
      .then(() => notify(text.exporting))
      .catch((error: unknown) => notify(faultText(error)))
      .finally(() => setIsBusy(false))
  }
  return (
    <>
      <Button isBusy={isBusy} onClick={() => run('csv')}>
        {text.export('CSV')}
      </Button>
      <Button isBusy={isBusy} onClick={() => run('ndjson')}>
        {text.export('NDJSON')}
      </Button>
    </>
  )
}
