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
  const columns = useColumns()
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
            <Panel>
              {vendors.length === 0 ? (
                <EmptyState icon="plug" title={text.emptyTitle}>
                  {text.empty}
                </EmptyState>
              ) : (
                <Table
                  caption={text.title}
                  columns={columns}
                  rows={vendors.flatMap(rowsOf)}
                  keyOf={({ vendor, credential, isOwn }) => `${vendor.vendor} ${isOwn} ${credential?.name}`}
                />
              )}
            </Panel>
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** A credential of a vendor, its calls with customers' own credentials, or that the platform has no credential. */
interface Row {
  vendor: Vendor
  credential?: Credential
  isOwn: boolean
  calls: Calls | undefined
}

function rowsOf(vendor: Vendor): Row[] {
  const { credentials, ownCalls } = vendor
  const rows: Row[] = credentials.map(credential => ({
    vendor,
    credential,
    isOwn: false,
    calls: credential.calls,
  }))
  if (rows.length === 0) rows.push({ vendor, isOwn: false, calls: undefined })
  if (ownCalls.answered + failedOf(ownCalls) > 0) rows.push({ vendor, isOwn: true, calls: ownCalls })
  return rows
}

function useColumns(): Column<Row>[] {
  const text = useText(messages)
  return [
    { id: 'vendor', header: text.vendor, cell: ({ vendor }) => <VendorName vendor={vendor} /> },
    {
      id: 'credential',
      header: text.credential,
      cell: ({ credential, isOwn }) =>
        credential ? (
          <CredentialName credential={credential} />
        ) : (
          <span className="text-muted">{isOwn ? text.ownCalls : text.noCredentials}</span>
        ),
    },
    {
      id: 'breaker',
      header: text.breaker,
      cell: ({ credential }) => (credential ? <Breaker credential={credential} /> : '–'),
    },
    {
      id: 'calls',
      header: text.calls,
      align: 'end',
      cell: ({ calls }) => calls && <CallsCell calls={calls} />,
    },
  ]
}

function VendorName({ vendor: { vendor, name, activeModels } }: { vendor: Vendor }) {
  const text = useText(messages)
  const format = useFormat()
  const label = vendor.toLowerCase()
  return (
    <>
      <span className="font-medium">{name}</span>
      <span className="block text-sm text-muted">
        {name !== label && `${label} · `}
        {text.models(format.number(activeModels))}
      </span>
    </>
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
      <span className="font-medium wrap-anywhere">{name}</span>
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
