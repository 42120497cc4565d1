import { useState } from 'react'
import { useMutation } from 'urql'
import { PermittedButton } from '../shell/permissions.tsx'
import { useText } from '../text/language.ts'
import { ConfirmDialog } from '../ui/confirm.tsx'
import { notify } from '../ui/toasts.tsx'
import { cancelTaskDocument, type Task } from './documents.ts'
import { messages } from './messages.ts'

/** Cancels a task that has not ended. The vendor can refuse it. */
export function CancelTask({ task: { id, status, cancelRequestedAt } }: { task: Task }) {
  const text = useText(messages)
  const [isAsking, setIsAsking] = useState(false)
  const [, cancel] = useMutation(cancelTaskDocument)
  if (status !== 'PENDING') return null
  const run = async () => {
    const { data, error } = await cancel({ input: { id } })
    if (!data?.cancelTask) throw error
    notify(data.cancelTask.task.state === 'CANCELLED' ? text.cancelled : text.cancelSent)
    setIsAsking(false)
  }
  return (
    <>
      <PermittedButton
        field="Mutation.cancelTask"
        disabled={cancelRequestedAt !== null}
        onClick={() => setIsAsking(true)}
      >
        {text.cancel}
      </PermittedButton>
      {isAsking && (
        <ConfirmDialog
          title={text.cancelTitle}
          action={text.cancel}
          run={run}
          onClose={() => setIsAsking(false)}
        >
          <p>{text.cancelText}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
