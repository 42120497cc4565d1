import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useQuery } from 'urql'
import { atPage, pageArguments } from '../../lists/address.ts'
import { PagedList } from '../../lists/paged-list.tsx'
import { useFormat, useText } from '../../text/language.ts'
import { Badge } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Money, Time } from '../../ui/values.tsx'
import { type TopUp, topUpsDocument } from './documents.ts'
import { messages } from './messages.ts'
import { useReadWhenCredited } from './use-read-when-credited.ts'

const route = getRouteApi('/account/billing')
const pageSize = 25

/** The top-ups, with their receipts and invoices. */
export function TopUps({ add }: { add: ReactNode }) {
  const text = useText(messages)
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({ query: topUpsDocument, variables: pageArguments(search, pageSize) })
  useReadWhenCredited(query[1])
  const columns = useColumns()
  return (
    <PagedList
      query={query}
      select={data => data.topUps}
      lines={6}
      caption={text.views.topUps}
      columns={columns}
      keyOf={({ id }) => id}
      empty={
        <EmptyState icon="billing" title={text.noTopUps} action={add}>
          {text.noTopUpsText}
        </EmptyState>
      }
      onTurn={place => void navigate({ search: atPage(place) })}
    />
  )
}

const tones = { PENDING: 'warn', COMPLETED: 'ok', FAILED: 'danger', EXPIRED: 'neutral' } as const

function useColumns(): Column<TopUp>[] {
  const text = useText(messages)
  const format = useFormat()
  return [
    { id: 'time', header: text.time, cell: ({ createdAt }) => <Time value={createdAt} /> },
    { id: 'kind', header: text.kind, from: '4xl', cell: ({ kind }) => text.kinds[kind] },
    {
      id: 'status',
      header: text.status,
      cell: topUp => (
        <span className="flex flex-wrap items-center gap-x-2">
          <Badge tone={tones[topUp.status]}>{text.statuses[topUp.status]}</Badge>
          {topUp.failure !== null && <span className="text-xs text-muted">{topUp.failure}</span>}
          <span className="mt-1 text-sm @xl:hidden">
            <Documents topUp={topUp} />
          </span>
        </span>
      ),
    },
    { id: 'documents', header: text.documents, from: 'xl', cell: topUp => <Documents topUp={topUp} /> },
    {
      id: 'amount',
      header: text.change,
      align: 'end',
      cell: ({ amount, tax }) => (
        <span className="inline-flex flex-col items-end">
          <Money amount={amount} />
          {tax !== null && Number(tax) > 0 && (
            <span className="text-xs whitespace-nowrap text-muted">{text.tax(format.money(tax))}</span>
          )}
        </span>
      ),
    },
  ]
}

function Documents({
  topUp: { status, checkoutUrl, receiptUrl, invoiceUrl, invoicePdfUrl },
}: {
  topUp: TopUp
}) {
  const text = useText(messages)
  const links = [
    [text.pay, status === 'PENDING' ? checkoutUrl : null],
    [text.receipt, receiptUrl],
    [text.invoice, invoiceUrl],
    [text.pdf, invoicePdfUrl],
  ] as const
  return (
    <span className="flex flex-wrap gap-x-3">
      {links.map(
        ([name, url]) =>
          url !== null && (
            <a key={name} href={url} target="_blank" rel="noreferrer" className="underline">
              {name}
            </a>
          ),
      )}
    </span>
  )
}
