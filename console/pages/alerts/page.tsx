import { useState } from 'react'
import { useMutation, useQuery } from 'urql'
import { faultText } from '../../graph/faults.ts'
import { PermittedButton } from '../../shell/permissions.tsx'
import { useFormat, useText } from '../../text/language.ts'
import { rowAction } from '../../ui/button.tsx'
import { Badge, Page, Panel } from '../../ui/page.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { notify } from '../../ui/toasts.tsx'
import { Money, Time } from '../../ui/values.tsx'
import { AddAlertDialog } from './add-alert-dialog.tsx'
import { Deliveries } from './deliveries.tsx'
import { type Alert, alertsContext, alertsDocument, deleteAlertDocument } from './documents.ts'
import { messages } from './messages.ts'
import { Webhook } from './webhook.tsx'

export default function AlertsPage() {
  const text = useText(messages)
  const [isAdding, setIsAdding] = useState(false)
  const query = useQuery({ query: alertsDocument, context: alertsContext })
  const columns = useColumns()
  const add = (
    <PermittedButton
      field="Mutation.createBalanceAlert"
      kind="primary"
      icon="plus"
      onClick={() => setIsAdding(true)}
    >
      {text.add}
    </PermittedButton>
  )
  return (
    <Page title={text.title} intro={text.intro} actions={add}>
      <Panel title={text.balance}>
        <Loaded query={query} select={data => data.me.balanceAlerts} lines={3}>
          {alerts =>
            alerts.length === 0 ? (
              <EmptyState icon="bell" title={text.emptyTitle} action={add}>
                {text.empty}
              </EmptyState>
            ) : (
              <Table caption={text.balance} columns={columns} rows={alerts} keyOf={({ id }) => id} />
            )
          }
        </Loaded>
      </Panel>
      <Panel title={text.webhook}>
        <Webhook />
      </Panel>
      <Panel title={text.sent}>
        <Deliveries />
      </Panel>
      {isAdding && <AddAlertDialog onClose={() => setIsAdding(false)} />}
    </Page>
  )
}

function useColumns(): Column<Alert>[] {
  const text = useText(messages)
  return [
    {
      id: 'threshold',
      header: text.threshold,
      cell: ({ threshold }) => (
        <span className="font-medium">
          <Money amount={threshold} />
        </span>
      ),
    },
    {
      id: 'state',
      header: text.state,
      cell: ({ isArmed }) =>
        isArmed ? (
          <Badge tone="ok">{text.armed}</Badge>
        ) : (
          <span title={text.firedHint}>
            <Badge tone="warn">{text.fired}</Badge>
          </span>
        ),
    },
    {
      id: 'lastSent',
      header: text.lastSent,
      cell: ({ lastSentAt }) => (lastSentAt === null ? text.never : <Time value={lastSentAt} />),
    },
    { id: 'remove', header: text.actions, align: 'end', cell: alert => <RemoveAlert alert={alert} /> },
  ]
}

/** Deletes an alert at once: adding the same one again takes a moment. */
function RemoveAlert({ alert: { id, threshold } }: { alert: Alert }) {
  const text = useText(messages)
  const format = useFormat()
  const [{ fetching }, remove] = useMutation(deleteAlertDocument)
  const run = async () => {
    const { error } = await remove({ input: { id } }, alertsContext)
    notify(error ? faultText(error) : text.removed)
  }
  return (
    <PermittedButton
      field="Mutation.deleteBalanceAlert"
      kind="quiet"
      className={rowAction}
      aria-label={text.removeOf(format.money(threshold))}
      isBusy={fetching}
      onClick={() => void run()}
    >
      {text.remove}
    </PermittedButton>
  )
}
