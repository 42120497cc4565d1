import { useState } from 'react'
import { useMutation } from 'urql'
import { sumMoney } from '../../../text/decimal.ts'
import { useFormat, useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { AreaField, FormFault, TextField } from '../../../ui/field.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { textOf, useForm } from '../../../ui/use-form.ts'
import { type AccountDetail, creditDocument, debitDocument, moneyContext } from './documents.ts'
import { messages } from './messages.ts'

type Direction = 'credit' | 'debit'

/** The buttons that add credits to an account, or remove some. */
export function MoneyActions({ account }: { account: AccountDetail }) {
  const text = useText(messages)
  const [direction, setDirection] = useState<Direction>()
  return (
    <>
      <Button onClick={() => setDirection('debit')}>{text.debit}</Button>
      <Button kind="primary" icon="billing" onClick={() => setDirection('credit')}>
        {text.credit}
      </Button>
      {direction && (
        <MoneyDialog direction={direction} account={account} onClose={() => setDirection(undefined)} />
      )}
    </>
  )
}

const names = ['amount', 'reason', 'idempotencyKey']

/**
 * Changes the credits by hand. The idempotency key stays the same until the dialog is closed: if the answer to a change
 * is lost, sending the form again does not change the credits twice.
 */
function MoneyDialog({
  direction,
  account: { id: accountId, name, credits },
  onClose,
}: {
  direction: Direction
  account: AccountDetail
  onClose(): void
}) {
  const text = useText(messages)
  const format = useFormat()
  const [entered, setEntered] = useState('')
  const [firstKey] = useState(() => `console-${randomId()}`)
  const [, credit] = useMutation(creditDocument)
  const [, debit] = useMutation(debitDocument)
  const amount = /^\d+(\.\d{1,9})?$/.test(entered.trim()) ? entered.trim() : undefined
  const after = amount && sumMoney([credits, direction === 'credit' ? amount : `-${amount}`])
  const { faults, isBusy, formProps } = useForm(async fields => {
    const input = {
      accountId,
      amount: textOf(fields, 'amount') ?? '',
      reason: textOf(fields, 'reason') ?? '',
      idempotencyKey: textOf(fields, 'idempotencyKey'),
    }
    const { data, error } = await (direction === 'credit' ? credit : debit)({ input }, moneyContext)
    if (error) throw error
    const changed = data && ('creditAccount' in data ? data.creditAccount : data.debitAccount)
    notify(text.changed[direction](format.money(input.amount), format.money(changed?.balance.credits ?? '')))
    onClose()
  })
  return (
    <Dialog title={text.moneyTitles[direction](name)} onClose={onClose}>
      <form {...formProps} className="flex flex-col gap-4">
        <FormFault faults={faults} names={names} />
        <TextField
          label={text.amount}
          hint={text.amountHint}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          required
          value={entered}
          onChange={event => setEntered(event.target.value)}
          faults={faults}
        />
        <AreaField
          label={text.moneyReason}
          hint={text.moneyReasonHint}
          name="reason"
          required
          maxLength={500}
          rows={2}
          faults={faults}
        />
        <details>
          <summary className="text-sm text-muted">{text.idempotencyKey}</summary>
          <div className="mt-2">
            <TextField
              label={text.idempotencyKey}
              hint={text.idempotencyHint}
              name="idempotencyKey"
              autoComplete="off"
              maxLength={100}
              defaultValue={firstKey}
              faults={faults}
            />
          </div>
        </details>
        <p role="status" className={after === undefined ? 'text-muted' : ''}>
          {after === undefined
            ? text.enterAmount
            : text.willChange[direction](
                format.money(amount ?? ''),
                format.money(credits),
                format.money(after),
              )}
        </p>
        <DialogActions>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button type="submit" kind={direction === 'credit' ? 'primary' : 'danger'} isBusy={isBusy}>
            {text[direction]}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Returns 128 random bits. `crypto.randomUUID` exists on secure origins only. */
function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
