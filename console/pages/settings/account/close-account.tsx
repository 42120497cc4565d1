import { useState } from 'react'
import { useQuery } from 'urql'
import { leaveSession } from '../../../session/session.ts'
import { useConfirmedMutation } from '../../../shell/confirmation.tsx'
import { PermittedButton, Refusal } from '../../../shell/permissions.tsx'
import { useFormat, useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { Panel } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { type DetailRow, Details, Money, Time } from '../../../ui/values.tsx'
import { PanelBody } from '../frame/settings-page.tsx'
import { type Closure, closeAccountDocument, restDocument } from './documents.ts'
import { messages } from './messages.ts'

/** What closing the account means, what is left in it, and the button that closes it. */
export function CloseAccount() {
  const text = useText(messages)
  const query = useQuery({ query: restDocument })
  const [isClosing, setIsClosing] = useState(false)
  const rest = useRest()
  return (
    <Panel title={text.close}>
      <PanelBody>
        <p>{text.closeText}</p>
        <ul className="list-disc pl-5 text-muted">
          <li>{text.creditsRule}</li>
          <li>{text.tasksRule}</li>
        </ul>
        <Loaded query={query} select={data => data.me} lines={3}>
          {({ name, balance }) => {
            const runningTasks = query[0].data?.tasks?.totalCount ?? 0
            return (
              <>
                {balance && <Details rows={rest({ ...balance, runningTasks })} />}
                <div>
                  <PermittedButton
                    field="Mutation.closeOwnAccount"
                    kind="danger"
                    onClick={() => setIsClosing(true)}
                  >
                    {text.close}
                  </PermittedButton>
                </div>
                {isClosing && <ClosingDialog accountName={name} onClose={() => setIsClosing(false)} />}
              </>
            )
          }}
        </Loaded>
        <Refusal field="Mutation.closeOwnAccount" />
      </PanelBody>
    </Panel>
  )
}

/** Asks for the name of the account, and then shows what is left. After that, the session is refused. */
function ClosingDialog({ accountName, onClose }: { accountName: string; onClose(): void }) {
  const text = useText(messages)
  const rest = useRest()
  const [closure, setClosure] = useState<Closure>()
  const [, close] = useConfirmedMutation(closeAccountDocument)
  const run = async () => {
    const { data, error } = await close({ input: { accountName } })
    if (!data?.closeOwnAccount) throw error
    setClosure(data.closeOwnAccount)
  }
  if (closure)
    return (
      <Dialog key="closed" title={text.closed} onClose={leaveSession}>
        <div role="status" className="flex flex-col gap-4">
          <p>
            {text.closedText} <Time value={closure.eraseAt} />.
          </p>
          <Details rows={rest(closure)} />
        </div>
        <DialogActions>
          <Button kind="primary" onClick={leaveSession}>
            {text.leave}
          </Button>
        </DialogActions>
      </Dialog>
    )
  return (
    <ConfirmDialog
      title={text.closeTitle(accountName)}
      action={text.close}
      typed={accountName}
      run={run}
      onClose={onClose}
    >
      <p>{text.closeText}</p>
    </ConfirmDialog>
  )
}

/** Returns a function that lists the money and the tasks that are left. */
function useRest(): (rest: Omit<Closure, 'eraseAt'>) => DetailRow[] {
  const text = useText(messages)
  const format = useFormat()
  return ({ credits, held, runningTasks }) => [
    [text.credits, <Money key="credits" amount={credits} />],
    [text.held, <Money key="held" amount={held} />],
    [text.running, format.number(runningTasks)],
  ]
}
