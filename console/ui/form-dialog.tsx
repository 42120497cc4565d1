import type { ReactNode } from 'react'
import type { Faults } from '../graph/faults.ts'
import { useText } from '../text/language.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { FormFault } from './field.tsx'
import { messages } from './messages.ts'
import { useForm } from './use-form.ts'

/** A dialog with a form, a button that submits it, and one that closes the dialog. */
export function FormDialog({
  title,
  action,
  kind = 'primary',
  isBlocked = false,
  names,
  run,
  onChange,
  onClose,
  children,
}: {
  title: string
  /** The text of the button that submits, for example `Revoke key`. */
  action: string
  kind?: 'danger' | 'primary'
  /** Whether the form cannot be submitted yet. */
  isBlocked?: boolean
  /** The names of the fields, which show their own faults. */
  names: readonly string[]
  /** Throws the error of the operation, whose faults are then shown. */
  run(fields: FormData): Promise<void>
  /** Called when a field changes. */
  onChange?(): void
  onClose(): void
  children(faults: Faults | undefined): ReactNode
}) {
  const text = useText(messages)
  const { faults, isBusy, formProps } = useForm(run)
  return (
    <Dialog title={title} onClose={onClose}>
      <form {...formProps} onChange={onChange} className="flex flex-col gap-4">
        {children(faults)}
        <FormFault faults={faults} names={names} />
        <DialogActions>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button type="submit" kind={kind} isBusy={isBusy} disabled={isBlocked}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
