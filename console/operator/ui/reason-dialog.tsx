import type { ReactNode } from 'react'
import { useText } from '../../text/language.ts'
import { ConfirmDialog } from '../../ui/confirm.tsx'
import { AreaField } from '../../ui/field.tsx'
import { textOf } from '../../ui/use-form.ts'
import { messages } from './messages.ts'

/** Asks before an action that needs a reason. The children say what will happen. */
export function ReasonDialog({
  title,
  action,
  kind,
  typed,
  run,
  onClose,
  children,
}: {
  title: string
  action: string
  kind?: 'danger' | 'primary'
  typed?: string
  /** Throws the error of the operation, which is then shown. */
  run(reason: string): Promise<void>
  onClose(): void
  children: ReactNode
}) {
  const text = useText(messages)
  return (
    <ConfirmDialog
      title={title}
      action={action}
      {...(kind && { kind })}
      {...(typed !== undefined && { typed })}
      run={fields => run(textOf(fields, 'reason') ?? '')}
      onClose={onClose}
    >
      {children}
      <AreaField label={text.reason} hint={text.reasonHint} name="reason" required maxLength={500} rows={2} />
    </ConfirmDialog>
  )
}
