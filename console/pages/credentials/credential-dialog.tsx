import { useState } from 'react'
import { useMutation } from 'urql'
import { faultText } from '../../graph/faults.ts'
import { PermittedButton, PermittedFields, Refusal } from '../../shell/permissions.tsx'
import { useText } from '../../text/language.ts'
import { ConfirmDialog } from '../../ui/confirm.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { FormFault } from '../../ui/field.tsx'
import { notify } from '../../ui/toasts.tsx'
import { textOf, useForm } from '../../ui/use-form.ts'
import { Details, Time } from '../../ui/values.tsx'
import { CredentialFields, credentialFieldNames } from './credential-fields.tsx'
import {
  type Credential,
  credentialsContext,
  deleteCredentialDocument,
  updateCredentialDocument,
} from './documents.ts'
import { configOf, kindOf, storedConfig } from './kinds.ts'
import { messages } from './messages.ts'

/** The panel of one credential. */
export function CredentialDialog({
  credential,
  onClose,
}: {
  credential: Credential | undefined
  onClose(): void
}) {
  const text = useText(messages)
  return (
    <Dialog side title={credential?.label ?? text.credential} onClose={onClose}>
      {credential ? <Settings credential={credential} onClose={onClose} /> : <p>{text.missing}</p>}
    </Dialog>
  )
}

function Settings({ credential, onClose }: { credential: Credential; onClose(): void }) {
  const text = useText(messages)
  const { id, provider, disabled, configJson, lastUsedAt, lastError, createdAt } = credential
  const kind = kindOf(credential)
  const [isRemoving, setIsRemoving] = useState(false)
  const [, update] = useMutation(updateCredentialDocument)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const apiKey = textOf(fields, 'apiKey')
    const input = {
      id,
      label: textOf(fields, 'label') ?? '',
      alwaysUse: fields.has('alwaysUse'),
      ...(apiKey !== null && { apiKey }),
      ...(kind === 'direct'
        ? { baseUrl: textOf(fields, 'baseUrl') }
        : { configJson: configOf(kind, fields, storedConfig(configJson)) }),
    }
    const { data, error } = await update({ input }, credentialsContext)
    if (!data?.updateByokCredential) throw error
    notify(text.saved)
    onClose()
  })
  return (
    <div className="flex flex-col gap-5">
      <Details
        rows={[
          [text.vendor, provider.toLowerCase()],
          [text.kind, text.kinds[kind]],
          [text.lastUsed, lastUsedAt === null ? text.neverUsed : <Time key="used" value={lastUsedAt} />],
          [text.lastError, lastError],
          [text.createdAt, <Time key="created" value={createdAt} />],
        ]}
      />
      <form {...formProps} className="flex flex-col gap-4">
        <FormFault faults={faults} names={credentialFieldNames} />
        <PermittedFields field="Mutation.updateByokCredential">
          <CredentialFields kind={kind} credential={credential} faults={faults} />
        </PermittedFields>
        <Refusal field="Mutation.updateByokCredential" />
        <DialogActions>
          <PermittedButton
            field="Mutation.deleteByokCredential"
            kind="danger"
            onClick={() => setIsRemoving(true)}
          >
            {text.remove}
          </PermittedButton>
          <SwitchCredential id={id} disabled={disabled} />
          <PermittedButton field="Mutation.updateByokCredential" type="submit" kind="primary" isBusy={isBusy}>
            {text.save}
          </PermittedButton>
        </DialogActions>
      </form>
      {isRemoving && (
        <RemoveCredential credential={credential} onClose={() => setIsRemoving(false)} onRemoved={onClose} />
      )}
    </div>
  )
}

function SwitchCredential({ id, disabled }: Pick<Credential, 'id' | 'disabled'>) {
  const text = useText(messages)
  const [{ fetching }, update] = useMutation(updateCredentialDocument)
  const change = async () => {
    const { error } = await update({ input: { id, disabled: !disabled } }, credentialsContext)
    notify(error ? faultText(error) : disabled ? text.nowEnabled : text.nowDisabled)
  }
  return (
    <PermittedButton field="Mutation.updateByokCredential" isBusy={fetching} onClick={() => void change()}>
      {disabled ? text.enable : text.disable}
    </PermittedButton>
  )
}

function RemoveCredential({
  credential: { id, label },
  onClose,
  onRemoved,
}: {
  credential: Credential
  onClose(): void
  onRemoved(): void
}) {
  const text = useText(messages)
  const [, remove] = useMutation(deleteCredentialDocument)
  const run = async () => {
    const { data, error } = await remove({ input: { id } }, credentialsContext)
    if (!data?.deleteByokCredential) throw error
    notify(text.removed)
    onRemoved()
  }
  return (
    <ConfirmDialog title={text.removeTitle(label)} action={text.remove} run={run} onClose={onClose}>
      <p>{text.removeText}</p>
    </ConfirmDialog>
  )
}
