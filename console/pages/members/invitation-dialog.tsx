import { useState } from 'react'
import { useMutation } from 'urql'
import { useConfirmedMutation } from '../../shell/confirmation.tsx'
import { messages as shellMessages } from '../../shell/messages.ts'
import { PermittedButton } from '../../shell/permissions.tsx'
import { useText } from '../../text/language.ts'
import { ConfirmDialog } from '../../ui/confirm.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { FormFault } from '../../ui/field.tsx'
import { notify } from '../../ui/toasts.tsx'
import { useForm } from '../../ui/use-form.ts'
import { Details, Time } from '../../ui/values.tsx'
import {
  type Invitation,
  membersContext,
  resendInvitationDocument,
  revokeInvitationDocument,
} from './documents.ts'
import { messages } from './messages.ts'

const noFields: readonly string[] = []

/** The panel of one invitation: sends it again, or revokes it. */
export function InvitationDialog({
  invitation,
  onClose,
}: {
  invitation: Invitation | undefined
  onClose(): void
}) {
  const text = useText(messages)
  return (
    <Dialog side title={invitation?.email ?? text.invitation} onClose={onClose}>
      {invitation ? (
        <InvitationActions invitation={invitation} onClose={onClose} />
      ) : (
        <p>{text.missingInvitation}</p>
      )}
    </Dialog>
  )
}

function InvitationActions({ invitation, onClose }: { invitation: Invitation; onClose(): void }) {
  const text = useText(messages)
  const { roles } = useText(shellMessages)
  const { id, email, role, createdAt, sentAt, expiresAt } = invitation
  const [isRevoking, setIsRevoking] = useState(false)
  const [, resend] = useConfirmedMutation(resendInvitationDocument)
  const { faults, isBusy, formProps } = useForm(async () => {
    const { data, error } = await resend({ input: { id } })
    if (!data?.resendInvitation) throw error
    notify(text.invited(email))
    onClose()
  })
  return (
    <div className="flex flex-col gap-5">
      <Details
        rows={[
          [text.role, roles[role]],
          [text.created, <Time key="created" value={createdAt} />],
          [text.sent, <Time key="sent" value={sentAt} />],
          [text.expires, <Time key="expires" value={expiresAt} />],
        ]}
      />
      <form {...formProps} className="flex flex-col gap-4">
        <p className="text-muted">{text.resendText}</p>
        <FormFault faults={faults} names={noFields} />
        <DialogActions>
          <PermittedButton
            field="Mutation.revokeInvitation"
            kind="danger"
            onClick={() => setIsRevoking(true)}
          >
            {text.revoke}
          </PermittedButton>
          <PermittedButton field="Mutation.resendInvitation" type="submit" kind="primary" isBusy={isBusy}>
            {text.resend}
          </PermittedButton>
        </DialogActions>
      </form>
      {isRevoking && (
        <RevokeInvitation invitation={invitation} onClose={() => setIsRevoking(false)} onRevoked={onClose} />
      )}
    </div>
  )
}

function RevokeInvitation({
  invitation: { id, email },
  onClose,
  onRevoked,
}: {
  invitation: Invitation
  onClose(): void
  onRevoked(): void
}) {
  const text = useText(messages)
  const [, revoke] = useMutation(revokeInvitationDocument)
  const run = async () => {
    const { data, error } = await revoke({ input: { id } }, membersContext)
    if (!data?.revokeInvitation) throw error
    notify(text.revoked)
    onRevoked()
  }
  return (
    <ConfirmDialog title={text.revokeTitle(email)} action={text.revoke} run={run} onClose={onClose}>
      <p className="break-words">{text.revokeText(email)}</p>
    </ConfirmDialog>
  )
}
