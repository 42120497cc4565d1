import { useState } from 'react'
import { useMutation, useQuery } from 'urql'
import { type PagePlace, pageArguments } from '../../../lists/address.ts'
import { PagedList } from '../../../lists/paged-list.tsx'
import { useFormat, useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Panel, PanelIntro } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { Money, Time } from '../../../ui/values.tsx'
import { AccountLink } from '../../ui/account-link.tsx'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import { endTopUpDocument, type StuckTopUp, stuckContext, stuckDocument } from './documents.ts'
import { messages } from './messages.ts'

const pageSize = 20

/** Automatic top-ups whose outcome is unknown. Each can be ended. */
export function StuckTopUps() {
  const text = useText(messages)
  const format = useFormat()
  const [place, setPlace] = useState<PagePlace>({})
  const [ending, setEnding] = useState<StuckTopUp>()
  const [, endTopUp] = useMutation(endTopUpDocument)
  const query = useQuery({
    query: stuckDocument,
    variables: pageArguments(place, pageSize),
    context: stuckContext,
  })
  const columns: Column<StuckTopUp>[] = [
    { id: 'started', header: text.started, cell: ({ createdAt }) => <Time value={createdAt} /> },
    {
      id: 'account',
      header: text.account,
      cell: ({ accountId, paymentIntentId }) => (
        <>
          <AccountLink accountId={accountId} />
          <span className="block font-mono text-xs wrap-anywhere text-muted">{paymentIntentId}</span>
        </>
      ),
    },
    { id: 'amount', header: text.amount, align: 'end', cell: ({ amount }) => <Money amount={amount} /> },
    {
      id: 'end',
      header: text.end,
      align: 'end',
      cell: topUp => (
        <Button kind="danger" onClick={() => setEnding(topUp)}>
          {text.end}
        </Button>
      ),
    },
  ]
  return (
    <Panel title={text.stuck}>
      <PanelIntro>{text.stuckText}</PanelIntro>
      <PagedList
        query={query}
        select={data => data.stuckTopUps}
        lines={2}
        caption={text.stuck}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<EmptyState icon="check" title={text.noStuck} />}
        onTurn={setPlace}
      />
      {ending && (
        <ReasonDialog
          title={text.endTitle(format.money(ending.amount))}
          action={text.end}
          run={async reason => {
            const { id, accountId } = ending
            const { data, error } = await endTopUp({ input: { id, accountId, reason } }, stuckContext)
            if (!data?.endTopUp) throw error
            notify(text.ended)
            setEnding(undefined)
          }}
          onClose={() => setEnding(undefined)}
        >
          <p>{text.endText}</p>
        </ReasonDialog>
      )}
    </Panel>
  )
}
