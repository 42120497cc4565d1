import type { ComponentProps } from 'react'
import { useText } from '../../text/language.ts'
import { ConfirmDialog } from '../../ui/confirm.tsx'
import { AreaField } from '../../ui/field.tsx'
import { textOf } from '../../ui/use-form.ts'
import { messages } from './messages.ts'

/** Asks before an action that needs a reason. The children say what will happen. */
export function ReasonDialog({
  run,
  children,
  ...dialog
}: Omit<ComponentProps<typeof ConfirmDialog>, 'run'> & {
  /** Throws the error of the operation, which is then shown. */
  run(reason: string): Promise<void>
}) {
  const text = useText(messages)
  return (
    <ConfirmDialog {...dialog} run={fields => run(textOf(fields, 'reason') ?? '')}>
      {children}
      <AreaField label={text.reason} hint={text.reasonHint} name="reason" required maxLength={500} rows={2} />
    </ConfirmDialog>
  )
}
