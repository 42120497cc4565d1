import { useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { DialogActions } from '../../../ui/dialog.tsx'
import { NameForm } from '../frame/name-form.tsx'
import { messages } from './messages.ts'

/** The first step of a new second factor: what happens next, and the factor's name. */
export function NewFactorForm({
  name,
  intro,
  action,
  run,
}: {
  /** The name that is proposed. */
  name: string
  intro: string
  /** The text of the button that submits. */
  action: string
  /** Adds the factor. Throws the error of the operation, which is then shown. */
  run(name: string): Promise<void>
}) {
  const text = useText(messages)
  return (
    <NameForm
      name={name}
      hint={text.factorNameHint}
      maxLength={100}
      run={run}
      actions={isBusy => (
        <DialogActions>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {action}
          </Button>
        </DialogActions>
      )}
    >
      <p>{intro}</p>
    </NameForm>
  )
}
