import { useState } from 'react'
import { useMutation } from 'urql'
import { useText } from '../../text/language.ts'
import { randomId } from '../../text/random-id.ts'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { textOf } from '../../ui/use-form.ts'
import { startTopUpDocument } from './documents.ts'
import { messages } from './messages.ts'

const fieldNames = ['amount']

/** Starts a top-up, and leads to the payment page. A repeat after a lost answer finds the same top-up. */
export function TopUpDialog({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const [, startTopUp] = useMutation(startTopUpDocument)
  // A top-up belongs to its amount: the service refuses the key with another one.
  const [attempt, setAttempt] = useState(randomId)
  const renew = () => setAttempt(randomId())
  const run = async (fields: FormData) => {
    const input = {
      amount: textOf(fields, 'amount') ?? '',
      saveCard: fields.has('saveCard'),
      idempotencyKey: attempt,
    }
    const { data, error } = await startTopUp({ input })
    if (!data?.startTopUp) throw error
    const { checkoutUrl } = data.startTopUp.topUp
    if (checkoutUrl !== null) location.assign(checkoutUrl)
  }
  return (
    <FormDialog
      title={text.addTitle}
      action={text.toPayment}
      names={fieldNames}
      run={run}
      onChange={renew}
      onClose={onClose}
    >
      {faults => (
        <>
          <p className="text-muted">{text.addText}</p>
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
        </>
      )}
    </FormDialog>
  )
}
