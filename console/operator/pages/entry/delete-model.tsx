import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMutation } from 'urql'
import { useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { deleteDocument, type Entry, entryContext } from './documents.ts'
import { messages } from './messages.ts'

/** Deletes a model after its ID was typed. Its history stays. */
export function DeleteModel({ model: { id, revision } }: { model: Entry['model'] }) {
  const text = useText(messages)
  const navigate = useNavigate()
  const [isAsking, setIsAsking] = useState(false)
  const [, deleteModel] = useMutation(deleteDocument)
  return (
    <>
      <Button kind="danger" onClick={() => setIsAsking(true)}>
        {text.delete}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={text.deleteTitle(id)}
          action={text.delete}
          typed={id}
          run={async () => {
            const { data, error } = await deleteModel(
              { input: { id, expectedRevision: revision } },
              entryContext,
            )
            if (!data?.deleteModel) throw error
            notify(text.deletedNow)
            await navigate({ to: '/operator/catalogue' })
          }}
          onClose={() => setIsAsking(false)}
        >
          <p>{text.deleteText}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
