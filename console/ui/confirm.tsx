import { type ReactNode, useState } from 'react'
import type { Faults } from '../graph/faults.ts'
import { useText } from '../text/language.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { FormFault, TextField } from './field.tsx'
import { messages } from './messages.ts'
import { useForm } from './use-form.ts'

const noFields: readonly string[] = []

/**
 * Asks before an action that cannot be undone. With `typed`, the user types this name first. `run` throws the error of
 * the operation, which is then shown. It gets the fields that the children have.
 */
export function ConfirmDialog({
  title,
  action,
  kind = 'danger',
  typed,
  run,
  onClose,
  children,
}: {
  title: string
  /** The text of the button, for example `Revoke key`. */
  action: string
  kind?: 'danger' | 'primary'
  typed?: string
  run(fields: FormData): Promise<void>
  onClose(): void
  children: ReactNode
}) {
  const text = useText(messages)
  const [entered, setEntered] = useState('')
  const { faults, isBusy, formProps }: { faults: Faults | undefined; isBusy: boolean; formProps: object } =
    useForm(run)
  return (
    <Dialog title={title} onClose={onClose}>
      <form {...formProps} className="flex flex-col gap-4">
        {children}
        {typed !== undefined && (
          <TextField
            label={text.typeToConfirm(typed)}
            name="confirmation"
            autoComplete="off"
            value={entered}
            onChange={event => setEntered(event.target.value)}
          />
        )}
        <FormFault faults={faults} names={noFields} />
        <DialogActions>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button
            type="submit"
            kind={kind}
            isBusy={isBusy}
            disabled={typed !== undefined && entered !== typed}
          >
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
