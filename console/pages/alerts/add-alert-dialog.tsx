import { useMutation } from 'urql'
import { useText } from '../../text/language.ts'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { notify } from '../../ui/toasts.tsx'
import { textOf } from '../../ui/use-form.ts'
import { alertsContext, createAlertDocument } from './documents.ts'
import { messages } from './messages.ts'

const fieldNames = ['threshold']

export function AddAlertDialog({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const [, create] = useMutation(createAlertDocument)
  const run = async (fields: FormData) => {
    const { data, error } = await create(
      { input: { threshold: textOf(fields, 'threshold') ?? '' } },
      alertsContext,
    )
    if (!data?.createBalanceAlert) throw error
    notify(text.created)
    onClose()
  }
  return (
    <FormDialog title={text.addTitle} action={text.add} names={fieldNames} run={run} onClose={onClose}>
      {faults => (
        <>
          <p className="text-muted">{text.addText}</p>
          <TextField
            label={text.thresholdLabel}
            name="threshold"
            inputMode="decimal"
            autoComplete="off"
            required
            defaultValue="10"
            faults={faults}
          />
        </>
      )}
    </FormDialog>
  )
}
