import { getRouteApi } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { PermittedButton, useRefusal } from '../../shell/permissions.tsx'
import { useBalance } from '../../shell/use-balance.ts'
import { useText } from '../../text/language.ts'
import { Page, Panel, Tile } from '../../ui/page.tsx'
import { Loaded, type Query } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Money } from '../../ui/values.tsx'
import { Automatic } from './automatic.tsx'
import { BillingDetails } from './billing-details.tsx'
import { billingDocument } from './documents.ts'
import { messages } from './messages.ts'
import { views } from './search.ts'
import { TopUpDialog } from './top-up-dialog.tsx'
import { TopUps } from './top-ups.tsx'
import { Transactions } from './transactions.tsx'
import { TopUpWait } from './wait.tsx'

const route = getRouteApi('/account/billing')

export default function BillingPage() {
  const text = useText(messages)
  const {
    top_up: awaited,
    cancelled: isCancelled = false,
    view = 'transactions',
    add: isAdding,
  } = route.useSearch()
  const navigate = route.useNavigate()
  const refusal = useRefusal()('Mutation.startTopUp')
  const openDialog = (isOpen: boolean) =>
    void navigate({
      search: before => ({ ...before, add: isOpen || undefined }),
      replace: true,
      resetScroll: false,
    })
  const query = useQuery({ query: billingDocument })
  const add = (
    <PermittedButton field="Mutation.startTopUp" kind="primary" icon="plus" onClick={() => openDialog(true)}>
      {text.add}
    </PermittedButton>
  )
  return (
    <Page title={text.title} intro={text.intro} actions={add}>
      {awaited !== undefined && (
        <TopUpWait
          id={awaited}
          isCancelled={isCancelled}
          onDone={() =>
            void navigate({ search: ({ top_up: _, cancelled: __, ...rest }) => rest, replace: true })
          }
        />
      )}
      <BalanceTiles query={query} />
      <div className="grid items-start gap-6 xl:grid-cols-[3fr_2fr]">
        <Panel title={text.automatic}>
          <Loaded query={query} select={data => data.me.automaticTopUp} lines={6}>
            {automatic => <Automatic key={JSON.stringify(automatic)} automatic={automatic} />}
          </Loaded>
        </Panel>
        <Panel title={text.invoices}>
          <BillingDetails />
        </Panel>
      </div>
      <Panel
        title={text.lists}
        actions={
          <Tabs
            label={text.lists}
            value={view}
            options={views.map(name => [name, text.views[name]])}
            linkTo={name => ({ to: '/billing', search: { view: name } })}
          />
        }
      >
        {view === 'topUps' ? <TopUps add={add} /> : <Transactions />}
      </Panel>
      {isAdding && refusal === undefined && <TopUpDialog onClose={() => openDialog(false)} />}
    </Page>
  )
}

function BalanceTiles({
  query,
}: {
  query: Query<{ me: { balance: { credits: string; held: string; available: string } | null } }>
}) {
  const text = useText(messages)
  const live = useBalance()
  return (
    <Loaded query={query} select={data => live ?? data.me.balance}>
      {({ available, credits, held }) => (
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
          <Tile label={text.available} note={text.availableNote}>
            <Money amount={available} />
          </Tile>
          <Tile label={text.credits} note={text.creditsNote}>
            <Money amount={credits} />
          </Tile>
          <Tile label={text.held} note={text.heldNote}>
            <Money amount={held} />
          </Tile>
        </div>
      )}
    </Loaded>
  )
}
