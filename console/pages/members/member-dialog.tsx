import { useState } from 'react'
import { useConfirmedMutation } from '../../shell/confirmation.tsx'
import { PermittedButton, PermittedFields, Refusal } from '../../shell/permissions.tsx'
import { useFormat, useText } from '../../text/language.ts'
import { ConfirmDialog } from '../../ui/confirm.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Checkbox, FormFault } from '../../ui/field.tsx'
import { notify } from '../../ui/toasts.tsx'
import { useForm } from '../../ui/use-form.ts'
import { Details, Time } from '../../ui/values.tsx'
import { type Member, membersContext, removeMemberDocument, updateMemberDocument } from './documents.ts'
import { messages } from './messages.ts'
import { RoleField, roleOf } from './role-field.tsx'

const fieldNames = ['role']

/** The panel of one member: the role and the removal. */
export function MemberDialog({ member, onClose }: { member: Member | undefined; onClose(): void }) {
  const text = useText(messages)
  return (
    <Dialog side title={member?.email ?? text.member} onClose={onClose}>
      {member ? <MemberSettings member={member} onClose={onClose} /> : <p>{text.missing}</p>}
    </Dialog>
  )
}

function MemberSettings({ member, onClose }: { member: Member; onClose(): void }) {
  const text = useText(messages)
  const { id, name, role, createdAt, lastUsedAt } = member
  const [isRemoving, setIsRemoving] = useState(false)
  const [, update] = useConfirmedMutation(updateMemberDocument)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const input = { id, role: roleOf(fields.get('role')) }
    const { data, error } = await update({ input }, membersContext)
    if (!data?.updateMember) throw error
    notify(text.saved)
    onClose()
  })
  return (
    <div className="flex flex-col gap-5">
      <Details
        rows={[
          [text.name, name],
          [text.joined, <Time key="joined" value={createdAt} />],
          [text.lastActive, lastUsedAt === null ? text.never : <Time key="active" value={lastUsedAt} />],
        ]}
      />
      <form {...formProps} className="flex flex-col gap-4">
        <FormFault faults={faults} names={fieldNames} />
        <PermittedFields field="Mutation.updateMember">
          <RoleField defaultRole={role} faults={faults} />
        </PermittedFields>
        <Refusal field="Mutation.updateMember" />
        <DialogActions>
          <PermittedButton field="Mutation.removeMember" kind="danger" onClick={() => setIsRemoving(true)}>
            {text.remove}
          </PermittedButton>
          <PermittedButton field="Mutation.updateMember" type="submit" kind="primary" isBusy={isBusy}>
            {text.save}
          </PermittedButton>
        </DialogActions>
      </form>
      {isRemoving && (
        <RemoveMember member={member} onClose={() => setIsRemoving(false)} onRemoved={onClose} />
      )}
    </div>
  )
}

function RemoveMember({
  member: { id, email },
  onClose,
  onRemoved,
}: {
  member: Member
  onClose(): void
  onRemoved(): void
}) {
  const text = useText(messages)
  const format = useFormat()
  const [disablesKeys, setDisablesKeys] = useState(false)
  const [, remove] = useConfirmedMutation(removeMemberDocument)
  const run = async () => {
    const { data, error } = await remove({ input: { id, disableApiKeys: disablesKeys } }, membersContext)
    if (!data?.removeMember) throw error
    const { disabledApiKeys } = data.removeMember
    notify(disablesKeys ? text.removedWithKeys(format.number(disabledApiKeys)) : text.removed)
    onRemoved()
  }
  return (
    <ConfirmDialog title={text.removeTitle(email)} action={text.remove} run={run} onClose={onClose}>
      <p className="break-words">{text.removeText(email)}</p>
      <Checkbox
        label={text.disableKeys}
        checked={disablesKeys}
        onChange={event => setDisablesKeys(event.target.checked)}
      />
    </ConfirmDialog>
  )
}
