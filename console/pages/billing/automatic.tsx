import { useState } from 'react'
import { useMutation } from 'urql'
import { PermittedButton, PermittedFields, Refusal } from '../../shell/permissions.tsx'
import { useText } from '../../text/language.ts'
import { Checkbox, FormFault, TextField } from '../../ui/field.tsx'
import { Badge } from '../../ui/page.tsx'
import { notify } from '../../ui/toasts.tsx'
import { textOf, useForm } from '../../ui/use-form.ts'
import { Time } from '../../ui/values.tsx'
import { Card } from './card.tsx'
import { type AutomaticTopUp, updateAutomaticDocument } from './documents.ts'
import { messages } from './messages.ts'

const fieldNames = ['threshold', 'amount', 'dailyMaximum']

/** The saved card, and the settings of automatic top-ups. */
export function Automatic({ automatic }: { automatic: AutomaticTopUp }) {
  const text = useText(messages)
  const [isEnabled, setIsEnabled] = useState(automatic.isEnabled)
  const [, update] = useMutation(updateAutomaticDocument)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const amount = (name: string) => textOf(fields, name) ?? ''
    const { data, error } = await update(
      {
        input: {
          isEnabled,
          threshold: amount('threshold'),
          amount: amount('amount'),
          dailyMaximum: amount('dailyMaximum'),
        },
      },
      { additionalTypenames: ['Account'] },
    )
    if (!data?.updateAutomaticTopUp) throw error
    notify(text.saved)
  })
  return (
    <div className="flex flex-col gap-4 p-5">
      <p className="text-muted">
        {text.automaticText}{' '}
        {automatic.isEnabled ? <Badge tone="ok">{text.on}</Badge> : <Badge>{text.off}</Badge>}
      </p>
      {automatic.stopReason !== null && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          {text.stopReasons[automatic.stopReason]}
        </p>
      )}
      {automatic.retryAt !== null && (
        <p className="text-sm text-muted">
          {text.retryAt} <Time value={automatic.retryAt} />
        </p>
      )}
      <Card />
      <form {...formProps} className="flex flex-col gap-4">
        <FormFault faults={faults} names={fieldNames} />
        <PermittedFields field="Mutation.updateAutomaticTopUp">
          <Checkbox
            label={text.enable}
            name="isEnabled"
            checked={isEnabled}
            onChange={event => setIsEnabled(event.target.checked)}
          />
          <div className="grid items-end gap-4 sm:grid-cols-3">
            {(
              [
                ['threshold', text.threshold, automatic.threshold],
                ['amount', text.topUpAmount, automatic.amount],
                ['dailyMaximum', text.dailyMaximum, automatic.dailyMaximum],
              ] as const
            ).map(([name, label, value]) => (
              <TextField
                key={name}
                label={label}
                name={name}
                inputMode="decimal"
                autoComplete="off"
                required
                defaultValue={value}
                faults={faults}
              />
            ))}
          </div>
        </PermittedFields>
        <Refusal field="Mutation.updateAutomaticTopUp" />
        <div className="flex justify-end">
          <PermittedButton field="Mutation.updateAutomaticTopUp" type="submit" kind="primary" isBusy={isBusy}>
            {text.save}
          </PermittedButton>
        </div>
      </form>
    </div>
  )
}
