import { useState } from 'react'
import { useMutation } from 'urql'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Checkbox, FormFault, TextField } from '../../ui/field.tsx'
import { textOf, useForm } from '../../ui/use-form.ts'
import { startTopUpDocument } from './documents.ts'
import { messages } from './messages.ts'

const fieldNames = ['amount']

/** Starts a top-up, and leads to the payment page. A repeat after a lost answer finds the same top-up. */
export function TopUpDialog({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const [, startTopUp] = useMutation(startTopUpDocument)
  // A top-up belongs to its amount: the service refuses the key with another one.
  const [attempt, setAttempt] = useState(() => crypto.randomUUID())
  const renew = () => setAttempt(crypto.randomUUID())
  const { faults, isBusy, formProps } = useForm(async fields => {
    const input = {
      amount: textOf(fields, 'amount') ?? '',
      saveCard: fields.has('saveCard'),
      idempotencyKey: attempt,
    }
    const { data, error } = await startTopUp({ input })
    if (!data?.startTopUp) throw error
    const { checkoutUrl } = data.startTopUp.topUp
    if (checkoutUrl !== null) location.assign(checkoutUrl)
  })
  return (
    <Dialog title={text.addTitle} onClose={onClose}>
      <form {...formProps} onChange={renew} className="flex flex-col gap-4">
        <p className="text-muted">{text.addText}</p>
        <FormFault faults={faults} names={fieldNames} />
        <TextField
          label={text.amount}
          hint={text.amountHint}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          required
          defaultValue="25"
          faults={faults}
        />
        <Checkbox label={text.saveCard} name="saveCard" />
        <DialogActions>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {text.toPayment}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
