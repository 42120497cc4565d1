import { getRouteApi } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { atPage, pageArguments } from '../../../lists/address.ts'
import { PagedList } from '../../../lists/paged-list.tsx'
import { useText } from '../../../text/language.ts'
import { Panel } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Money, Time } from '../../../ui/values.tsx'
import { moneyContext, type Transaction, transactionsDocument } from './documents.ts'
import { messages } from './messages.ts'

const route = getRouteApi('/operator/accounts/$accountId')
const pageSize = 10

/** The changes of the account's credits. */
export function Transactions({ accountId }: { accountId: string }) {
  const text = useText(messages)
  const place = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({
    query: transactionsDocument,
    variables: { accountId, ...pageArguments(place, pageSize) },
    context: moneyContext,
  })
  const columns: Column<Transaction>[] = [
    {
      id: 'origin',
      header: text.origin,
      cell: ({ paymentMethod, reason, request, task, createdAt }) => (
        <>
          {text.origins[paymentMethod]}
          <span className="block text-sm text-muted @xl:hidden">
            <Time value={createdAt} />
          </span>
          <span className="block text-sm wrap-anywhere text-muted">{reason ?? request?.id ?? task?.id}</span>
        </>
      ),
    },
    { id: 'time', header: text.time, from: 'xl', cell: ({ createdAt }) => <Time value={createdAt} /> },
    {
      id: 'credits',
      header: text.change,
      align: 'end',
      cell: ({ credits }) => <Money amount={credits} />,
    },
  ]
  return (
    <Panel title={text.transactions}>
      <PagedList
        query={query}
        select={data => data.transactions}
        lines={4}
        caption={text.transactions}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<EmptyState icon="billing" title={text.noTransactions} />}
        onTurn={turned => void navigate({ search: atPage(turned), resetScroll: false })}
      />
    </Panel>
  )
}
