import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useQuery } from 'urql'
import { useRepeatedRead } from '../../graph/use-repeated-read.ts'
import { atPage, pageArguments } from '../../lists/address.ts'
import { FilterSelect } from '../../lists/filters.tsx'
import { PagedList } from '../../lists/paged-list.tsx'
import { DeliveryState, ShownDelivery } from '../../tasks/delivery.tsx'
import { deliveryIntervalMs } from '../../tasks/delivery-documents.ts'
import { useFormat, useText } from '../../text/language.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/values.tsx'
import { type DeliveryRow, deliveriesDocument, deliveryDocument } from './documents.ts'
import { messages } from './messages.ts'
import { receiverCode } from './receiver.ts'
import { type CallbacksSearch, shownStates } from './search.ts'
import { Secrets } from './secrets.tsx'

const route = getRouteApi('/account/callbacks')
const pageSize = 25

const statesOf = {
  failed: ['FAILED', 'GONE'],
  pending: ['PENDING'],
  delivered: ['DELIVERED'],
} as const

/** Deliveries and mutations that return one refetch the list also while it is empty. */
const deliveriesContext = { additionalTypenames: ['CallbackDelivery'] }

export default function CallbacksPage() {
  const text = useText(messages)
  const { delivery, ...shown } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Page title={text.title} intro={text.intro}>
      <Secrets />
      <Deliveries shown={shown} />
      <Panel title={text.verify}>
        <div className="flex flex-col gap-4 p-5">
          <p className="text-muted">{text.verifyText}</p>
          <CodeBlock label={text.receiver} code={receiverCode} />
        </div>
      </Panel>
      {delivery !== undefined && (
        <DeliveryDialog id={delivery} onClose={() => void navigate({ search: shown })} />
      )}
    </Page>
  )
}

function Deliveries({ shown }: { shown: CallbacksSearch }) {
  const text = useText(messages)
  const navigate = route.useNavigate()
  const { state } = shown
  const filter = useMemo(() => ({ states: state === undefined ? null : [...statesOf[state]] }), [state])
  const query = useQuery({
    query: deliveriesDocument,
    variables: { ...pageArguments(shown, pageSize), filter },
    context: deliveriesContext,
  })
  const columns = useColumns()
  return (
    <Panel
      title={text.deliveries}
      actions={
        <div className="flex w-44">
          <FilterSelect
            label={text.state}
            value={state}
            options={shownStates.map(name => [name, text.states[name]])}
            onChange={value => void navigate({ search: { state: shownStates.find(name => name === value) } })}
          />
        </div>
      }
    >
      <PagedList
        query={query}
        select={data => data.callbackDeliveries}
        lines={4}
        caption={text.deliveries}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon="callbacks" title={state === 'failed' ? text.noneFailed : text.none}>
            {text.noneText}
          </EmptyState>
        }
        onTurn={place => void navigate({ search: atPage(place) })}
      />
    </Panel>
  )
}

function useColumns(): Column<DeliveryRow>[] {
  const text = useText(messages)
  const format = useFormat()
  return [
    {
      id: 'created',
      header: text.created,
      cell: ({ id, createdAt }) => (
        <Link from="/callbacks" search={before => ({ ...before, delivery: id })} className="hover:underline">
          <Time value={createdAt} />
        </Link>
      ),
    },
    { id: 'state', header: text.state, cell: row => <DeliveryState state={row.state} /> },
    { id: 'event', header: text.event, from: '2xl', cell: ({ event }) => event },
    {
      id: 'url',
      header: text.url,
      from: 'xl',
      cell: ({ url }) => <span className="block max-w-36 truncate @4xl:max-w-96">{url}</span>,
    },
    {
      id: 'attempts',
      header: text.attempts,
      align: 'end',
      from: '2xl',
      cell: ({ tryCount }) => format.number(tryCount),
    },
  ]
}

function DeliveryDialog({ id, onClose }: { id: string; onClose(): void }) {
  const text = useText(messages)
  const query = useQuery({ query: deliveryDocument, variables: { id } })
  const [{ data }, execute] = query
  useRepeatedRead(execute, {
    intervalMs: deliveryIntervalMs,
    isNeeded: data?.callbackDelivery?.state === 'PENDING',
  })
  return (
    <Dialog side title={text.delivery} onClose={onClose}>
      <Loaded query={query} select={found => found.callbackDelivery} lines={6} missing={text.missing}>
        {delivery => <ShownDelivery delivery={delivery} />}
      </Loaded>
    </Dialog>
  )
}
