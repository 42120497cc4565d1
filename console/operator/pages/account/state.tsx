import { type ReactNode, useState } from 'react'
import { useMutation } from 'urql'
import { useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm.tsx'
import { Panel } from '../../../ui/page.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { Details, Time } from '../../../ui/values.tsx'
import { ReasonDialog } from '../../ui/reason-dialog.tsx'
import {
  type AccountDetail,
  closeDocument,
  reopenDocument,
  resumeDocument,
  suspendDocument,
} from './documents.ts'
import { messages } from './messages.ts'

type Action = 'suspend' | 'resume' | 'close' | 'reopen'

/** The state of an account, with the actions that its state permits. */
export function AccountStatePanel({ account }: { account: AccountDetail }) {
  const text = useText(messages)
  const [action, setAction] = useState<Action>()
  const { suspendedAt, suspensionReason, closedAt, closingReason, eraseAt, erasedAt } = account
  const permitted: Action[] =
    closedAt !== null
      ? erasedAt === null
        ? ['reopen']
        : []
      : suspendedAt !== null
        ? ['resume', 'close']
        : ['suspend', 'close']
  return (
    <Panel
      title={text.state}
      actions={
        <div className="flex flex-wrap gap-2">
          {permitted.map(name => (
            <Button
              key={name}
              kind={name === 'suspend' || name === 'close' ? 'danger' : 'secondary'}
              onClick={() => setAction(name)}
            >
              {text[name]}
            </Button>
          ))}
        </div>
      }
    >
      <div className="p-5">
        <Details
          rows={[
            [text.createdAt, <Time key="created" value={account.createdAt} />],
            [text.suspendedAt, suspendedAt && <Time value={suspendedAt} />],
            [text.suspensionReason, suspensionReason],
            [text.closedAt, closedAt && <Time value={closedAt} />],
            [text.closingReason, closingReason],
            [text.eraseAt, eraseAt && <Time value={eraseAt} />],
            [text.erasedAt, erasedAt && <Time value={erasedAt} />],
          ]}
        />
      </div>
      {action && <ActionDialog action={action} account={account} onClose={() => setAction(undefined)} />}
    </Panel>
  )
}

function ActionDialog({
  action,
  account: { id: accountId, name },
  onClose,
}: {
  action: Action
  account: AccountDetail
  onClose(): void
}) {
  const text = useText(messages)
  const [, suspend] = useMutation(suspendDocument)
  const [, resume] = useMutation(resumeDocument)
  const [, close] = useMutation(closeDocument)
  const [, reopen] = useMutation(reopenDocument)
  const finish = (result: { data?: unknown; error?: unknown }) => {
    if (result.error) throw result.error
    notify(text.done[action])
    onClose()
  }
  const shown: { title: string; action: string; onClose(): void; children: ReactNode } = {
    title: text.titles[action](name),
    action: text[action],
    onClose,
    children: <p>{text.consequences[action]}</p>,
  }
  if (action === 'resume')
    return (
      <ConfirmDialog
        {...shown}
        kind="primary"
        run={async () => finish(await resume({ input: { accountId } }))}
      />
    )
  const mutate = { suspend, close, reopen }[action]
  return (
    <ReasonDialog
      {...shown}
      {...(action === 'reopen' && { kind: 'primary' })}
      {...(action === 'close' && { typed: name })}
      run={async reason => finish(await mutate({ input: { accountId, reason } }))}
    />
  )
}
