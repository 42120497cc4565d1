import { useState } from 'react'
import { useMutation } from 'urql'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { createKeyDocument } from './documents.ts'
import { KeyFields, keyFieldNames, keyInputOf } from './key-fields.tsx'
import { messages } from './messages.ts'

/** Creates a key, then shows it until the dialog is closed. It is kept nowhere else. */
export function CreateKeyDialog({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const [, createKey] = useMutation(createKeyDocument)
  const [key, setKey] = useState<string>()
  const run = async (fields: FormData) => {
    const { data, error } = await createKey({ input: keyInputOf(fields) })
    if (!data?.createApiKey) throw error
    setKey(data.createApiKey.key)
  }
  if (key !== undefined)
    return (
      <Dialog title={text.created} onClose={onClose}>
        <div className="flex flex-col gap-4">
          <p>{text.keep}</p>
          <code className="rounded-md bg-hover p-3 font-mono text-sm wrap-anywhere">{key}</code>
        </div>
        <DialogActions>
          <CopyButton value={key} />
          <Button kind="primary" onClick={onClose}>
            {text.done}
          </Button>
        </DialogActions>
      </Dialog>
    )
  return (
    <FormDialog
      title={text.createTitle}
      action={text.create}
      names={keyFieldNames}
      run={run}
      onClose={onClose}
    >
      {faults => (
        <>
          <KeyFields faults={faults} />
        </>
      )}
    </FormDialog>
  )
}
