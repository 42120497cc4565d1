import { getRouteApi, Link } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { atPage, hasFilter, pageArguments, withFilter } from '../../lists/address.ts'
import { FilterSelect, Filters, FilterText } from '../../lists/filters.tsx'
import { PagedList } from '../../lists/paged-list.tsx'
import { KeyFilter } from '../../lists/record-filters.tsx'
import { useText } from '../../text/language.ts'
import { EmptyState } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Money, Time } from '../../ui/values.tsx'
import { type Transaction, transactionsDocument } from './documents.ts'
import { messages } from './messages.ts'
import { type BillingSearch, origins } from './search.ts'
import { useReadWhenCredited } from './use-read-when-credited.ts'

const route = getRouteApi('/account/billing')
const pageSize = 25
const dayMs = 86_400_000

/** The changes of the credits, each with the request or task that it paid for. */
export function Transactions() {
  const text = useText(messages)
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({
    query: transactionsDocument,
    variables: { ...pageArguments(search, pageSize), filter: filterOf(search) },
  })
  useReadWhenCredited(query[1])
  const columns = useColumns()
  const { origin, key, since, until } = search
  const isFiltered = hasFilter({ origin, key, since, until })
  return (
    <>
      <div className="border-b border-line px-5 py-4">
        <TransactionFilters isFiltered={isFiltered} />
      </div>
      <PagedList
        query={query}
        select={data => data.transactions}
        lines={8}
        caption={text.views.transactions}
        columns={columns}
        keyOf={({ id }) => id}
        isFiltered={isFiltered}
        empty={
          <EmptyState icon="billing" title={text.noTransactions}>
            {text.noTransactionsText}
          </EmptyState>
        }
        onTurn={place => void navigate({ search: atPage(place) })}
      />
    </>
  )
}

/** The filters of the address as the graph takes them. The last day is included. */
function filterOf({ origin, key, since, until }: BillingSearch) {
  return {
    paymentMethods: origin === undefined ? null : [origin],
    apiKeyIds: key === undefined ? null : [key],
    since: since === undefined ? null : `${since}T00:00:00Z`,
    until: until === undefined ? null : new Date(Date.parse(`${until}T00:00:00Z`) + dayMs).toISOString(),
  }
}

function TransactionFilters({ isFiltered }: { isFiltered: boolean }) {
  const text = useText(messages)
  const navigate = route.useNavigate()
  const { origin, key, since, until } = route.useSearch()
  const set = (name: keyof BillingSearch) => (value: string) =>
    void navigate({ search: withFilter(name, value) })
  return (
    <Filters isFiltered={isFiltered} onClear={() => void navigate({ search: {} })}>
      <FilterSelect
        label={text.origin}
        value={origin}
        options={origins.map(name => [name, text.origins[name]])}
        onChange={set('origin')}
      />
      <KeyFilter value={key} onChange={set('key')} />
      <FilterText type="date" label={text.since} value={since} onChange={set('since')} />
      <FilterText type="date" label={text.until} value={until} onChange={set('until')} />
    </Filters>
  )
}

function useColumns(): Column<Transaction>[] {
  const text = useText(messages)
  return [
    { id: 'time', header: text.time, from: 'xl', cell: ({ createdAt }) => <Time value={createdAt} /> },
    { id: 'origin', header: text.origin, from: 'xl', cell: row => text.origins[row.paymentMethod] },
    { id: 'about', header: text.about, cell: row => <Subject transaction={row} /> },
    { id: 'key', header: text.key, from: '4xl', cell: ({ apiKey }) => apiKey?.name },
    {
      id: 'change',
      header: text.change,
      align: 'end',
      cell: ({ credits }) => (
        <span className={`whitespace-nowrap ${credits.startsWith('-') ? '' : 'text-ok'}`}>
          <Money amount={credits} />
        </span>
      ),
    },
  ]
}

/** What a transaction paid for: the request or the task, or the reason that an operator gave. */
function Subject({
  transaction: { paymentMethod, request, task, reason, createdAt },
}: {
  transaction: Transaction
}) {
  const text = useText(messages)
  const name = (
    <span className="block text-xs text-muted @xl:hidden">
      {text.origins[paymentMethod]}, <Time value={createdAt} />
    </span>
  )
  if (request)
    return (
      <>
        {name}
        <Link to="/requests" search={{ request: request.id }} className="hover:underline">
          {request.modelName ?? request.route}
        </Link>
      </>
    )
  return (
    <>
      {name}
      {task ? (
        <Link to="/tasks" search={{ task: task.id }} className="wrap-anywhere hover:underline">
          {text.task(task.id)}
        </Link>
      ) : (
        <span className="break-words">{reason}</span>
      )}
    </>
  )
}
