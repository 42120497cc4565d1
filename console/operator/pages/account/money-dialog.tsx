import { useState } from 'react'
import { useMutation } from 'urql'
import type { Faults } from '../../../graph/faults.ts'
import { sumMoney } from '../../../text/decimal.ts'
import { useFormat, useText } from '../../../text/language.ts'
import { randomId } from '../../../text/random-id.ts'
import { Button } from '../../../ui/button.tsx'
import { AreaField, TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { textOf } from '../../../ui/use-form.ts'
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
      <Button kind="primary" icon="plus" onClick={() => setDirection('credit')}>
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
  const [, credit] = useMutation(creditDocument)
  const [, debit] = useMutation(debitDocument)
  const amount = /^\d+(\.\d{1,9})?$/.test(entered.trim()) ? entered.trim() : undefined
  const after = amount && sumMoney([credits, direction === 'credit' ? amount : `-${amount}`])
  const run = async (fields: FormData) => {
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
  }
  return (
    <FormDialog
      title={text.moneyTitles[direction](name)}
      action={text[direction]}
      kind={direction === 'credit' ? 'primary' : 'danger'}
      names={names}
      run={run}
      onClose={onClose}
    >
      {faults => (
        <>
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
          <IdempotencyKey faults={faults} />
          <p role="status" className={after === undefined ? 'text-muted' : ''}>
            {after === undefined
              ? text.enterAmount
              : text.willChange[direction](
                  format.money(amount ?? ''),
                  format.money(credits),
                  format.money(after),
                )}
          </p>
        </>
      )}
    </FormDialog>
  )
}

/** The idempotency key of the change: a random one, unless the operator enters another. */
function IdempotencyKey({ faults }: { faults: Faults | undefined }) {
  const text = useText(messages)
  const [firstKey] = useState(randomId)
  return (
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
  )
}
