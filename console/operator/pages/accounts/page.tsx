import { getRouteApi, Link } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { atPage, hasFilter, pageArguments, withFilter } from '../../../lists/address.ts'
import { FilterSelect, Filters, FilterText } from '../../../lists/filters.tsx'
import { PagedList } from '../../../lists/paged-list.tsx'
import { useFormat, useText } from '../../../text/language.ts'
import { Page, Panel } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Money, Time } from '../../../ui/values.tsx'
import { StateBadge, stateOf, TierBadge } from '../../ui/account-badges.tsx'
import { messages as sharedMessages } from '../../ui/messages.ts'
import { type AccountRow, accountsDocument } from './documents.ts'
import { messages } from './messages.ts'
import { type AccountsSearch, accountStates, accountsFilterOf, accountTiers } from './search.ts'

const route = getRouteApi('/operator/accounts')
const pageSize = 50

export default function AccountsPage() {
  const text = useText(messages)
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const filter = accountsFilterOf(search)
  const query = useQuery({
    query: accountsDocument,
    variables: { ...pageArguments(search, pageSize), ...filter },
    context: accountsContext,
  })
  const columns = useColumns()
  const isFiltered = hasFilter(filter)
  return (
    <Page title={text.title} intro={text.intro}>
      <AccountFilters isFiltered={isFiltered} />
      <Panel>
        <PagedList
          query={query}
          select={data => data.accounts}
          lines={8}
          caption={text.title}
          columns={columns}
          keyOf={({ id }) => id}
          dimmed={account => stateOf(account) === 'erased'}
          isFiltered={isFiltered}
          empty={
            <EmptyState icon="people" title={text.emptyTitle}>
              {text.empty}
            </EmptyState>
          }
          onTurn={place => void navigate({ search: atPage(place) })}
        />
      </Panel>
    </Page>
  )
}

/** An empty list names the type with whose mutations it is fetched again. */
const accountsContext = { additionalTypenames: ['AccountOverview'] }

function AccountFilters({ isFiltered }: { isFiltered: boolean }) {
  const text = useText(messages)
  const shared = useText(sharedMessages)
  const navigate = route.useNavigate()
  const { search, state, tier } = route.useSearch()
  const set = (name: keyof AccountsSearch) => (value: string) =>
    void navigate({ search: withFilter(name, value) })
  return (
    <Filters isFiltered={isFiltered} onClear={() => void navigate({ search: {} })}>
      <FilterText label={text.search} value={search} onChange={set('search')} />
      <FilterSelect
        label={text.state}
        value={state}
        options={accountStates.map(name => [name, shared.states[name]])}
        onChange={set('state')}
      />
      <FilterSelect
        label={text.tier}
        value={tier}
        options={accountTiers.map(name => [name, shared.tiers[name]])}
        onChange={set('tier')}
      />
    </Filters>
  )
}

function useColumns(): Column<AccountRow>[] {
  const text = useText(messages)
  const format = useFormat()
  return [
    {
      id: 'account',
      header: text.account,
      cell: ({ id, name, emails }) => (
        <Link to="/operator/accounts/$accountId" params={{ accountId: id }} className="group block">
          <span className="block font-medium wrap-anywhere group-hover:underline">{name}</span>
          <span className="block text-sm wrap-anywhere text-muted @4xl:hidden">
            {emails[0] === name ? '' : (emails[0] ?? id)}
          </span>
        </Link>
      ),
    },
    {
      id: 'people',
      header: text.people,
      from: '4xl',
      cell: ({ emails: [first, ...others] }) => (
        <span className="block max-w-56 truncate">
          {first}{' '}
          {others.length > 0 && <span className="text-muted">{text.more(format.number(others.length))}</span>}
        </span>
      ),
    },
    { id: 'state', header: text.state, cell: account => <StateBadge account={account} /> },
    {
      id: 'tier',
      header: text.tier,
      from: 'xl',
      cell: ({ isPaying }) => <TierBadge isPaying={isPaying} />,
    },
    {
      id: 'created',
      header: text.createdAt,
      from: '4xl',
      cell: ({ createdAt }) => <Time value={createdAt} />,
    },
    {
      id: 'keys',
      header: text.keys,
      align: 'end',
      from: '4xl',
      cell: ({ keyCount }) => format.number(keyCount),
    },
    {
      id: 'credits',
      header: text.credits,
      align: 'end',
      cell: ({ credits }) => <Money amount={credits} isRounded />,
    },
  ]
}
