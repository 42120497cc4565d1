import type { ReactNode } from 'react'
import { useQuery } from 'urql'
import { useRepeatedRead } from '../../../graph/use-repeated-read.ts'
import { useFormat, useText } from '../../../text/language.ts'
import { Badge, Page, Panel, type Tone } from '../../../ui/page.tsx'
import { EmptyState, Loaded } from '../../../ui/states.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { failedOf, failures } from './calls.ts'
import { type Calls, type Credential, type Vendor, vendorsDocument } from './documents.ts'
import { messages } from './messages.ts'

/**
 * Interval at which the page is read again, in milliseconds. Every process reports its breakers and calls to Redis at this
 * interval, so a subscription would not show them sooner; the graph has none.
 */
const intervalMs = 10_000

export default function VendorsPage() {
  const text = useText(messages)
  const format = useFormat()
  const query = useQuery({ query: vendorsDocument })
  const [, read] = query
  useRepeatedRead(read, { intervalMs })
  return (
    <Page title={text.title} intro={text.intro}>
      <Loaded query={query} select={data => data.vendorHealth} lines={8}>
        {({ processes, minutes, vendors }) => (
          <>
            <p role="status" className={processes === null || processes === 0 ? 'text-warn' : 'text-muted'}>
              {processes === null && text.noRedis}
              {processes === 0 && text.noReports}
              {processes !== null && processes > 0 && text.reports(format.number(processes), minutes)}
            </p>
            {vendors.length === 0 && (
              <Panel>
                <EmptyState icon="plug" title={text.emptyTitle}>
                  {text.empty}
                </EmptyState>
              </Panel>
            )}
            {vendors.map(vendor => (
              <VendorPanel key={vendor.vendor} vendor={vendor} />
            ))}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function VendorPanel({ vendor: { vendor, name, activeModels, credentials, ownCalls } }: { vendor: Vendor }) {
  const text = useText(messages)
  const format = useFormat()
  const label = vendor.toLowerCase()
  const columns: Column<Credential>[] = [
    {
      id: 'credential',
      header: text.credential,
      cell: credential => <CredentialName credential={credential} />,
    },
    { id: 'breaker', header: text.breaker, cell: credential => <Breaker credential={credential} /> },
    { id: 'calls', header: text.calls, align: 'end', cell: ({ calls }) => <CallsCell calls={calls} /> },
  ]
  return (
    <Panel
      title={name === label ? label : `${name} (${label})`}
      actions={<span className="text-sm text-muted">{text.models(format.number(activeModels))}</span>}
    >
      {credentials.length > 0 ? (
        <Table
          caption={text.credentialsOf(label)}
          columns={columns}
          rows={credentials}
          keyOf={({ name: key }) => key}
        />
      ) : (
        <p className="px-5 py-3 text-muted">{text.noCredentials}</p>
      )}
      {ownCalls.answered + failedOf(ownCalls) > 0 && (
        <div className="flex items-center justify-between gap-4 border-t border-line px-5 py-2.5">
          <span className="text-muted">{text.ownCalls}</span>
          <CallsCell calls={ownCalls} />
        </div>
      )}
    </Panel>
  )
}

function CredentialName({
  credential: { name, weight, models, requestsPerMinute, tokensPerMinute },
}: {
  credential: Credential
}) {
  const text = useText(messages)
  const format = useFormat()
  const notes = [
    weight === null && text.elsewhere,
    weight !== null && weight !== 1 && text.weight(format.number(weight)),
    models?.join(', '),
    requestsPerMinute !== null && text.requestsPerMinute(format.number(requestsPerMinute)),
    tokensPerMinute !== null && text.tokensPerMinute(format.number(tokensPerMinute)),
  ].filter(Boolean)
  return (
    <>
      <span className="font-medium break-all">{name}</span>
      {notes.length > 0 && <span className="block text-sm break-words text-muted">{notes.join(' · ')}</span>}
    </>
  )
}

function Breaker({ credential: { breaker, openProcesses, openAccounts } }: { credential: Credential }) {
  const text = useText(messages)
  const format = useFormat()
  const [tone, shown]: [Tone, ReactNode] =
    breaker === null
      ? ['neutral', text.unknown]
      : breaker === 'OPEN'
        ? ['danger', text.open(format.number(openProcesses))]
        : ['ok', text.closed]
  return (
    <span className="flex flex-wrap gap-1">
      <Badge tone={tone}>{shown}</Badge>
      {openAccounts > 0 && <Badge tone="warn">{text.openAccounts(format.number(openAccounts))}</Badge>}
    </span>
  )
}

function CallsCell({ calls }: { calls: Calls }) {
  const text = useText(messages)
  const format = useFormat()
  const { answered } = calls
  const failed = failedOf(calls)
  if (answered + failed === 0) return <span className="text-muted">{text.noCalls}</span>
  const share = failed / (answered + failed)
  return (
    <span className="inline-flex flex-col items-end">
      <span className="whitespace-nowrap">{text.answered(format.number(answered))}</span>
      {failed > 0 && (
        <span className={`text-sm ${share >= 0.1 ? 'text-danger' : 'text-warn'}`}>
          {text.failed(format.number(failed), format.percent(share))}
        </span>
      )}
      {failed > 0 && (
        <span className="text-xs text-muted">
          {failures
            .filter(name => calls[name] > 0)
            .map(name => `${text.failures[name]} ${format.number(calls[name])}`)
            .join(', ')}
        </span>
      )}
    </span>
  )
}
