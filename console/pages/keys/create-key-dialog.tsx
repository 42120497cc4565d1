import { useState } from 'react'
import { useMutation } from 'urql'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { FormFault } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { createKeyDocument } from './documents.ts'
import { KeyFields, keyFieldNames, keyInputOf } from './key-fields.tsx'
import { messages } from './messages.ts'

/** Creates a key, then shows it until the dialog is closed. It is kept nowhere else. */
export function CreateKeyDialog({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const [, createKey] = useMutation(createKeyDocument)
  const [key, setKey] = useState<string>()
  const { faults, isBusy, formProps } = useForm(async fields => {
    const { data, error } = await createKey({ input: keyInputOf(fields) })
    if (!data?.createApiKey) throw error
    setKey(data.createApiKey.key)
  })
  if (key !== undefined)
    return (
      <Dialog title={text.created} onClose={onClose}>
        <div className="flex flex-col gap-4">
          <p>{text.keep}</p>
          <code className="rounded-md bg-hover p-3 font-mono text-sm break-all">{key}</code>
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
    <Dialog title={text.createTitle} onClose={onClose}>
      <form {...formProps} className="flex flex-col gap-4">
        <FormFault faults={faults} names={keyFieldNames} />
        <KeyFields faults={faults} />
        <DialogActions>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {text.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
