import { useConfirmedMutation } from '../../shell/confirmation.tsx'
import { useText } from '../../text/language.ts'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { notify } from '../../ui/toasts.tsx'
import { textOf } from '../../ui/use-form.ts'
import { createInvitationDocument, membersContext } from './documents.ts'
import { messages } from './messages.ts'
import { RoleField, roleOf } from './role-field.tsx'

const fieldNames = ['email', 'role']

/** Invites a person by e-mail address, with a role. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const [, invite] = useConfirmedMutation(createInvitationDocument)
  const run = async (fields: FormData) => {
    const input = { email: textOf(fields, 'email') ?? '', role: roleOf(fields.get('role')) }
    const { data, error } = await invite({ input }, membersContext)
    if (!data?.createInvitation) throw error
    notify(text.invited(data.createInvitation.invitation.email))
    onClose()
  }
  return (
    <FormDialog title={text.inviteTitle} action={text.send} names={fieldNames} run={run} onClose={onClose}>
      {faults => (
        <>
          <p>{text.inviteText}</p>
          <TextField
            label={text.address}
            name="email"
            type="email"
            autoComplete="off"
            required
            faults={faults}
          />
          <RoleField defaultRole="DEVELOPER" faults={faults} />
        </>
      )}
    </FormDialog>
  )
}
