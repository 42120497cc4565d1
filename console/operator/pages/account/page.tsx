import { getRouteApi, Link } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { useFormat, useText } from '../../../text/language.ts'
import { CopyText } from '../../../ui/copy.tsx'
import { Page, Panel, Tile } from '../../../ui/page.tsx'
import { EmptyState, Loaded } from '../../../ui/states.tsx'
import { Money } from '../../../ui/values.tsx'
import { StateBadge, TierBadge } from '../../ui/account-badges.tsx'
import { Allowances } from './allowances.tsx'
import { type AccountDetail, accountDocument, moneyContext } from './documents.ts'
import { messages } from './messages.ts'
import { MoneyActions } from './money-dialog.tsx'
import { AccountStatePanel } from './state.tsx'
import { Transactions } from './transactions.tsx'
import { ViewPanel } from './view.tsx'

const route = getRouteApi('/operator/accounts/$accountId')

export default function AccountPage() {
  const text = useText(messages)
  const { accountId } = route.useParams()
  const query = useQuery({ query: accountDocument, variables: { id: accountId }, context: moneyContext })
  const [{ data }] = query
  return (
    <Page
      title={data?.account?.name ?? text.account}
      intro={
        <Link to="/operator/accounts" className="underline">
          {text.toAccounts}
        </Link>
      }
      actions={data?.account && <MoneyActions account={data.account} />}
    >
      <Loaded
        query={query}
        select={({ account }) => account}
        lines={8}
        missing={
          <Panel>
            <EmptyState icon="search" title={text.unknown}>
              {text.unknownText}
            </EmptyState>
          </Panel>
        }
      >
        {account => <Account key={account.id} account={account} />}
      </Loaded>
    </Page>
  )
}

function Account({ account }: { account: AccountDetail }) {
  const text = useText(messages)
  const format = useFormat()
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <StateBadge account={account} />
        <TierBadge isPaying={account.isPaying} />
        <CopyText value={account.id} />
        <span className="min-w-0 text-muted wrap-anywhere">{account.emails.join(', ')}</span>
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        <Tile label={text.credits} note={text.creditsNote}>
          <Money amount={account.credits} />
        </Tile>
        <Tile label={text.held} note={text.heldNote}>
          <Money amount={account.held} />
        </Tile>
        <Tile label={text.keys} note={text.keysNote}>
          {format.number(account.keyCount)}
        </Tile>
      </div>
      <AccountStatePanel account={account} />
      <ViewPanel account={account} />
      <Transactions accountId={account.id} />
      <Allowances account={account} />
    </>
  )
}
