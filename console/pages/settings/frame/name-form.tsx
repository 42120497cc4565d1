import type { ReactNode } from 'react'
import { useText } from '../../../text/language.ts'
import { FormFault, TextField } from '../../../ui/field.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { messages } from './messages.ts'

const fieldNames = ['name']

/** A form with one field: the name of the user, of the account or of a second factor. */
export function NameForm({
  name,
  hint,
  maxLength,
  autoComplete = 'off',
  isDisabled = false,
  run,
  actions,
  children,
}: {
  name: string
  hint?: string
  maxLength: number
  autoComplete?: string
  isDisabled?: boolean
  /** Saves the name. Throws the error of the operation, which is then shown. */
  run(name: string): Promise<void>
  /** Returns what follows the field, with the button that submits the form. */
  actions(isBusy: boolean): ReactNode
  /** The text above the field. */
  children?: ReactNode
}) {
  const text = useText(messages)
  const { faults, isBusy, formProps } = useForm(fields => run(String(fields.get('name'))))
  return (
    <form {...formProps} className="flex flex-col gap-4">
      {children}
      <FormFault faults={faults} names={fieldNames} />
      <fieldset disabled={isDisabled}>
        <TextField
          label={text.name}
          name="name"
          {...(hint !== undefined && { hint })}
          autoComplete={autoComplete}
          required
          maxLength={maxLength}
          defaultValue={name}
          faults={faults}
        />
      </fieldset>
      {actions(isBusy)}
    </form>
  )
}
