import { type ReactNode, useState } from 'react'
import { useText } from '../text/language.ts'
import { TextField } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'
import { messages } from './messages.ts'

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
  return (
    <FormDialog
      title={title}
      action={action}
      kind={kind}
      isBlocked={typed !== undefined && entered !== typed}
      names={noFields}
      run={run}
      onClose={onClose}
    >
      {() => (
        <>
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
        </>
      )}
    </FormDialog>
  )
}
