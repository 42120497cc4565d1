import { useState } from 'react'
import { useConfirmedMutation } from '../../../shell/confirmation.tsx'
import { useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { FormFault, TextField } from '../../../ui/field.tsx'
import { Badge } from '../../../ui/page.tsx'
import { textOf, useForm } from '../../../ui/use-form.ts'
import { messages as settingsMessages } from '../frame/messages.ts'
import { requestEmailChangeDocument, type User } from './documents.ts'
import { messages } from './messages.ts'

const fieldNames = ['email']

/** The address with which the user logs in. */
export function EmailAddress({ user: { email, emailConfirmedAt } }: { user: User }) {
  const text = useText(messages)
  const [isChanging, setIsChanging] = useState(false)
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <span className="wrap-anywhere">{email}</span>
        {emailConfirmedAt === null ? (
          <Badge tone="warn">{text.unconfirmed}</Badge>
        ) : (
          <Badge tone="ok">{text.confirmed}</Badge>
        )}
      </p>
      <p className="text-muted">{text.emailText}</p>
      <div>
        <Button onClick={() => setIsChanging(true)}>{text.changeEmail}</Button>
      </div>
      {isChanging && <ChangeDialog onClose={() => setIsChanging(false)} />}
    </>
  )
}

/** Sends a link to the user's new address. The page that the link opens changes the address. */
function ChangeDialog({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const { done } = useText(settingsMessages)
  const [, request] = useConfirmedMutation(requestEmailChangeDocument)
  const [sentTo, setSentTo] = useState<string>()
  const { faults, isBusy, formProps } = useForm(async fields => {
    const email = textOf(fields, 'email') ?? ''
    const { data, error } = await request({ input: { email } })
    if (!data?.requestEmailChange) throw error
    setSentTo(email)
  })
  return (
    <Dialog title={text.changeEmail} onClose={onClose}>
      {sentTo !== undefined ? (
        <>
          <p role="status" className="break-words">
            {text.linkSent(sentTo)}
          </p>
          <DialogActions>
            <Button kind="primary" onClick={onClose}>
              {done}
            </Button>
          </DialogActions>
        </>
      ) : (
        <form {...formProps} className="flex flex-col gap-4">
          <p>{text.changeEmailText}</p>
          <FormFault faults={faults} names={fieldNames} />
          <TextField
            label={text.newEmail}
            name="email"
            type="email"
            autoComplete="email"
            required
            faults={faults}
          />
          <DialogActions>
            <Button type="submit" kind="primary" isBusy={isBusy}>
              {text.sendLink}
            </Button>
          </DialogActions>
        </form>
      )}
    </Dialog>
  )
}
