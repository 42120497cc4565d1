import { useMutation } from 'urql'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { FormFault, TextField } from '../../ui/field.tsx'
import { notify } from '../../ui/toasts.tsx'
import { textOf, useForm } from '../../ui/use-form.ts'
import { alertsContext, createAlertDocument } from './documents.ts'
import { messages } from './messages.ts'

const fieldNames = ['threshold']

export function AddAlertDialog({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const [, create] = useMutation(createAlertDocument)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const { data, error } = await create(
      { input: { threshold: textOf(fields, 'threshold') ?? '' } },
      alertsContext,
    )
    if (!data?.createBalanceAlert) throw error
    notify(text.created)
    onClose()
  })
  return (
    <Dialog title={text.addTitle} onClose={onClose}>
      <form {...formProps} className="flex flex-col gap-4">
        <p className="text-muted">{text.addText}</p>
        <FormFault faults={faults} names={fieldNames} />
        <TextField
          label={text.thresholdLabel}
          name="threshold"
          inputMode="decimal"
          autoComplete="off"
          required
          defaultValue="10"
          faults={faults}
        />
        <DialogActions>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {text.add}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
