import { useConfirmedMutation } from '../../shell/confirmation.tsx'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { FormFault, TextField } from '../../ui/field.tsx'
import { notify } from '../../ui/toasts.tsx'
import { textOf, useForm } from '../../ui/use-form.ts'
import { createInvitationDocument, membersContext } from './documents.ts'
import { messages } from './messages.ts'
import { RoleField, roleOf } from './role-field.tsx'

const fieldNames = ['email', 'role']

/** Invites a person by e-mail address, with a role. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const [, invite] = useConfirmedMutation(createInvitationDocument)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const input = { email: textOf(fields, 'email') ?? '', role: roleOf(fields.get('role')) }
    const { data, error } = await invite({ input }, membersContext)
    if (!data?.createInvitation) throw error
    notify(text.invited(data.createInvitation.invitation.email))
    onClose()
  })
  return (
    <Dialog title={text.inviteTitle} onClose={onClose}>
      <form {...formProps} className="flex flex-col gap-4">
        <p>{text.inviteText}</p>
        <FormFault faults={faults} names={fieldNames} />
        <TextField
          label={text.address}
          name="email"
          type="email"
          autoComplete="off"
          required
          faults={faults}
        />
        <RoleField defaultRole="DEVELOPER" faults={faults} />
        <DialogActions>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {text.send}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
