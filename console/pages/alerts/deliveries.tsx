import { useQuery } from 'urql'
import { useFormat, useText } from '../../text/language.ts'
import { Badge } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/values.tsx'
import { alertsContext, type Delivery, deliveriesDocument } from './documents.ts'
import { messages } from './messages.ts'

/** The latest webhooks about alerts: what fired when, and whether the receiver accepted it. */
export function Deliveries() {
  const text = useText(messages)
  const query = useQuery({ query: deliveriesDocument, context: alertsContext })
  const columns = useColumns()
  return (
    <Loaded query={query} select={data => data.me.alertDeliveries} lines={3}>
      {deliveries =>
        deliveries.length === 0 ? (
          <p className="px-5 py-4 text-muted">{text.sentNone}</p>
        ) : (
          <Table caption={text.sent} columns={columns} rows={deliveries} keyOf={({ id }) => id} />
        )
      }
    </Loaded>
  )
}

const tones = { PENDING: 'warn', DELIVERED: 'ok', FAILED: 'danger', GONE: 'danger' } as const

function useColumns(): Column<Delivery>[] {
  const text = useText(messages)
  const format = useFormat()
  const nameOf = (event: string) =>
    Object.hasOwn(text.events, event) ? text.events[event as keyof typeof text.events] : event
  return [
    { id: 'time', header: text.time, cell: ({ createdAt }) => <Time value={createdAt} /> },
    { id: 'event', header: text.event, cell: ({ event }) => nameOf(event) },
    {
      id: 'state',
      header: text.state,
      cell: ({ state, tries }) => {
        const last = tries?.at(-1)
        return (
          <span className="flex flex-wrap items-center gap-x-2">
            <Badge tone={tones[state]}>{text.states[state]}</Badge>
            {state !== 'DELIVERED' && (
              <span className="text-xs break-words text-muted">{last?.error ?? last?.status}</span>
            )}
          </span>
        )
      },
    },
    {
      id: 'attempts',
      header: text.attempts,
      align: 'end',
      from: 'xl',
      cell: ({ tryCount }) => format.number(tryCount),
    },
  ]
}
