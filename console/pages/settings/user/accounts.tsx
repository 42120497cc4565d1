import { useState } from 'react'
import { useMutation, useQuery } from 'urql'
import { faultText } from '../../../graph/faults.ts'
import { type PagePlace, pageArguments } from '../../../lists/address.ts'
import { PagedList } from '../../../lists/paged-list.tsx'
import { refreshSession, switchAccount } from '../../../session/session.ts'
import { messages as shellMessages } from '../../../shell/messages.ts'
import { useText } from '../../../text/language.ts'
import { Button, rowAction } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm.tsx'
import { Badge } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { Time } from '../../../ui/values.tsx'
import { messages as settingsMessages } from '../frame/messages.ts'
import { leaveAccountDocument, type Membership, membershipsDocument } from './documents.ts'
import { messages } from './messages.ts'

const pageSize = 25

/** The accounts of the user. A session can leave its own account only; the user switches to leave another one. */
export function Accounts() {
  const text = useText(messages)
  const [place, setPlace] = useState<PagePlace>({})
  const query = useQuery({
    query: membershipsDocument,
    variables: pageArguments(place, pageSize),
    context: membershipsContext,
  })
  const columns = useColumns()
  return (
    <PagedList
      query={query}
      select={data => data.memberships}
      lines={2}
      caption={text.accounts}
      columns={columns}
      keyOf={({ accountId }) => accountId}
      empty={<EmptyState icon="people" title={text.noAccounts} />}
      onTurn={setPlace}
    />
  )
}

/** An empty list names its type, so that it is fetched again. */
const membershipsContext = { additionalTypenames: ['Membership'] }

function useColumns(): Column<Membership>[] {
  const text = useText(messages)
  const settings = useText(settingsMessages)
  const { roles } = useText(shellMessages)
  return [
    {
      id: 'account',
      header: text.account,
      cell: ({ accountName, isCurrent }) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          <span className="font-medium break-words">{accountName}</span>
          {isCurrent && <Badge tone="ok">{text.current}</Badge>}
        </span>
      ),
    },
    { id: 'role', header: text.role, cell: ({ role }) => roles[role] },
    { id: 'joined', header: text.joined, from: '2xl', cell: ({ joinedAt }) => <Time value={joinedAt} /> },
    {
      id: 'actions',
      header: settings.actions,
      align: 'end',
      cell: membership =>
        membership.isCurrent ? <Leave membership={membership} /> : <Switch membership={membership} />,
    },
  ]
}

function Switch({ membership: { accountId, accountName } }: { membership: Membership }) {
  const text = useText(messages)
  const [isBusy, setIsBusy] = useState(false)
  const run = () => {
    setIsBusy(true)
    switchAccount(accountId).catch(error => {
      notify(faultText(error))
      setIsBusy(false)
    })
  }
  return (
    <Button
      kind="quiet"
      className={rowAction}
      aria-label={text.switchToName(accountName)}
      isBusy={isBusy}
      onClick={run}
    >
      {text.switchTo}
    </Button>
  )
}

function Leave({ membership: { accountName } }: { membership: Membership }) {
  const text = useText(messages)
  const [isOpen, setIsOpen] = useState(false)
  const [, leave] = useMutation(leaveAccountDocument)
  const run = async () => {
    const { data, error } = await leave({})
    if (!data?.leaveAccount) throw error
    // The session has ended, which the refresh finds out: the log-in page opens.
    await refreshSession()
  }
  return (
    <>
      <Button
        kind="quiet"
        className={rowAction}
        aria-label={text.leaveName(accountName)}
        onClick={() => setIsOpen(true)}
      >
        {text.leave}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={text.leaveTitle(accountName)}
          action={text.leaveAction}
          typed={accountName}
          run={run}
          onClose={() => setIsOpen(false)}
        >
          <p className="break-words">{text.leaveText(accountName)}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
