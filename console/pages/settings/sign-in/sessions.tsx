import { useState } from 'react'
import { useMutation, useQuery } from 'urql'
import { faultText } from '../../../graph/faults.ts'
import { type PagePlace, pageArguments } from '../../../lists/address.ts'
import { PagedList } from '../../../lists/paged-list.tsx'
import { useFormat, useText } from '../../../text/language.ts'
import { Button, rowAction } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm.tsx'
import { Badge, Panel, PanelIntro } from '../../../ui/page.tsx'
import type { Column } from '../../../ui/table.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { Time } from '../../../ui/values.tsx'
import { messages as settingsMessages } from '../frame/messages.ts'
import {
  endOthersDocument,
  endSessionDocument,
  type Session,
  sessionsContext,
  sessionsDocument,
} from './documents.ts'
import { messages } from './messages.ts'

const pageSize = 25

/** The user's sessions in this account. */
export function Sessions() {
  const text = useText(messages)
  const [place, setPlace] = useState<PagePlace>({})
  const [isEnding, setIsEnding] = useState(false)
  const query = useQuery({
    query: sessionsDocument,
    variables: pageArguments(place, pageSize),
    context: sessionsContext,
  })
  const columns = useColumns()
  return (
    <Panel
      title={text.sessions}
      actions={<Button onClick={() => setIsEnding(true)}>{text.endOthers}</Button>}
    >
      <PanelIntro>{text.sessionsText}</PanelIntro>
      <PagedList
        query={query}
        select={data => data.activeSessions}
        lines={3}
        caption={text.sessions}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p className="px-5 py-4">{text.noSessions}</p>}
        onTurn={setPlace}
      />
      {isEnding && <EndOthers onClose={() => setIsEnding(false)} />}
    </Panel>
  )
}

function useColumns(): Column<Session>[] {
  const text = useText(messages)
  const settings = useText(settingsMessages)
  return [
    {
      id: 'began',
      header: text.began,
      cell: ({ createdAt, isCurrent }) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          <Time value={createdAt} />
          {isCurrent && <Badge tone="ok">{text.thisSession}</Badge>}
        </span>
      ),
    },
    {
      id: 'address',
      header: text.address,
      cell: ({ address }) => (
        <span className="font-mono text-sm wrap-anywhere">{address ?? text.unknownAddress}</span>
      ),
    },
    { id: 'used', header: text.lastUsed, from: '2xl', cell: ({ lastUsedAt }) => <Time value={lastUsedAt} /> },
    { id: 'ends', header: text.ends, from: '4xl', cell: ({ expiresAt }) => <Time value={expiresAt} /> },
    {
      id: 'actions',
      header: settings.actions,
      align: 'end',
      cell: session => (session.isCurrent ? null : <End session={session} />),
    },
  ]
}

/** Ends a session at once: its owner can log in again. */
function End({ session: { id, createdAt } }: { session: Session }) {
  const text = useText(messages)
  const format = useFormat()
  const [{ fetching }, end] = useMutation(endSessionDocument)
  const run = async () => {
    const { data, error } = await end({ input: { id } }, sessionsContext)
    notify(data?.endSession ? text.ended : faultText(error))
  }
  return (
    <Button
      kind="quiet"
      className={rowAction}
      aria-label={text.endOf(format.dateTime(createdAt))}
      isBusy={fetching}
      onClick={() => void run()}
    >
      {text.end}
    </Button>
  )
}

function EndOthers({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const format = useFormat()
  const [, end] = useMutation(endOthersDocument)
  const run = async () => {
    const { data, error } = await end({}, sessionsContext)
    if (!data?.endOtherSessions) throw error
    notify(text.sessionsEnded(format.number(data.endOtherSessions.endedSessions)))
    onClose()
  }
  return (
    <ConfirmDialog title={text.endOthersTitle} action={text.endOthers} run={run} onClose={onClose}>
      <p>{text.endOthersText}</p>
    </ConfirmDialog>
  )
}
