import { useState } from 'react'
import { useConfirmedMutation } from '../../../shell/confirmation.tsx'
import { useFormat, useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { Checkbox, FormFault, NewPasswordField, TextField } from '../../../ui/field.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { PanelBody } from '../frame/settings-page.tsx'
import { changePasswordDocument, type SignInStatus, sessionsContext } from './documents.ts'
import { messages } from './messages.ts'

const fieldNames = ['currentPassword', 'newPassword']

/** The user's password. A user without one can set it by e-mail, or signs in through an issuer only. */
export function Password({ status: { hasPassword } }: { status: SignInStatus }) {
  const text = useText(messages)
  const [isChanging, setIsChanging] = useState(false)
  return (
    <PanelBody>
      <p className="text-muted">{hasPassword ? text.passwordText : text.noPassword}</p>
      {hasPassword && (
        <div>
          <Button onClick={() => setIsChanging(true)}>{text.changePassword}</Button>
        </div>
      )}
      {isChanging && <ChangePassword onClose={() => setIsChanging(false)} />}
    </PanelBody>
  )
}

function ChangePassword({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const format = useFormat()
  const [, change] = useConfirmedMutation(changePasswordDocument)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const input = {
      currentPassword: String(fields.get('currentPassword')),
      newPassword: String(fields.get('newPassword')),
      revokeApiKeys: fields.has('revokeApiKeys'),
    }
    const { data, error } = await change({ input }, sessionsContext)
    if (!data?.changePassword) throw error
    const { endedSessions, revokedApiKeys } = data.changePassword
    notify(text.passwordChanged(format.number(endedSessions), format.number(revokedApiKeys)))
    onClose()
  })
  return (
    <Dialog title={text.changePassword} onClose={onClose}>
      <form {...formProps} className="flex flex-col gap-4">
        <p>{text.changePasswordText}</p>
        <FormFault faults={faults} names={fieldNames} />
        <TextField
          label={text.currentPassword}
          name="currentPassword"
          type="password"
          autoComplete="current-password"
          required
          faults={faults}
        />
        <NewPasswordField name="newPassword" faults={faults} />
        <Checkbox label={text.revokeKeys} name="revokeApiKeys" />
        <DialogActions>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {text.changePassword}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
