import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMutation, useQuery } from 'urql'
import type { ResultOf } from '../../graph/documents.ts'
import { faultText } from '../../graph/faults.ts'
import { PermittedButton, PermittedFields, Refusal } from '../../shell/permissions.tsx'
import { useFormat, useText } from '../../text/language.ts'
import { ConfirmDialog } from '../../ui/confirm.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { FormFault } from '../../ui/field.tsx'
import { Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { useForm } from '../../ui/use-form.ts'
import { Money } from '../../ui/values.tsx'
import { keyDocument, keysContext, revokeKeyDocument, updateKeyDocument } from './documents.ts'
import { KeyFields, keyFieldNames, keyInputOf } from './key-fields.tsx'
import { messages } from './messages.ts'

/** The panel of one key: its usage and settings. */
export function KeyDialog({ id, onClose }: { id: string; onClose(): void }) {
  const text = useText(messages)
  const query = useQuery({ query: keyDocument, variables: { id } })
  const [{ data }] = query
  return (
    <Dialog side title={data?.apiKey?.name ?? text.key} onClose={onClose}>
      <Loaded query={query} select={found => found.apiKey} lines={8} missing={text.missing}>
        {key => <KeySettings apiKey={key} onClose={onClose} />}
      </Loaded>
    </Dialog>
  )
}

type KeyWithUsage = NonNullable<ResultOf<typeof keyDocument>['apiKey']>

function KeySettings({ apiKey, onClose }: { apiKey: KeyWithUsage; onClose(): void }) {
  const text = useText(messages)
  const format = useFormat()
  const [isRevoking, setIsRevoking] = useState(false)
  const [, updateKey] = useMutation(updateKeyDocument)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const { data, error } = await updateKey({ input: { id: apiKey.id, ...keyInputOf(fields) } })
    if (!data?.updateApiKey) throw error
    notify(text.saved)
    onClose()
  })
  const { usage } = apiKey
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-col gap-1">
        <CopyText value={apiKey.id} />
        {usage && (
          <p className="text-muted">
            {text.month}: <Money amount={usage.spent} isRounded />,{' '}
            {text.requestsOf(format.number(usage.requests), format.number(usage.failedRequests))}.{' '}
            <Link to="/requests" search={{ key: apiKey.id }} className="text-ink underline">
              {text.seeRequests}
            </Link>
          </p>
        )}
      </div>
      <form {...formProps} className="flex flex-col gap-4">
        <FormFault faults={faults} names={keyFieldNames} />
        <PermittedFields field="Mutation.updateApiKey">
          <KeyFields apiKey={apiKey} faults={faults} />
        </PermittedFields>
        <Refusal field="Mutation.updateApiKey" />
        <DialogActions>
          <PermittedButton field="Mutation.revokeApiKey" kind="danger" onClick={() => setIsRevoking(true)}>
            {text.revoke}
          </PermittedButton>
          <SwitchKey apiKey={apiKey} />
          <PermittedButton field="Mutation.updateApiKey" type="submit" kind="primary" isBusy={isBusy}>
            {text.save}
          </PermittedButton>
        </DialogActions>
      </form>
      {isRevoking && <RevokeKey apiKey={apiKey} onClose={() => setIsRevoking(false)} onRevoked={onClose} />}
    </div>
  )
}

function SwitchKey({ apiKey: { id, disabled } }: { apiKey: KeyWithUsage }) {
  const text = useText(messages)
  const [{ fetching }, updateKey] = useMutation(updateKeyDocument)
  const change = async () => {
    const { error } = await updateKey({ input: { id, disabled: !disabled } })
    notify(error ? faultText(error) : disabled ? text.nowEnabled : text.nowDisabled)
  }
  return (
    <PermittedButton field="Mutation.updateApiKey" isBusy={fetching} onClick={() => void change()}>
      {disabled ? text.enable : text.disable}
    </PermittedButton>
  )
}

/** Revoking cannot be undone: the name of the key is typed first. */
function RevokeKey({
  apiKey: { id, name },
  onClose,
  onRevoked,
}: {
  apiKey: KeyWithUsage
  onClose(): void
  onRevoked(): void
}) {
  const text = useText(messages)
  const [, revokeKey] = useMutation(revokeKeyDocument)
  const run = async () => {
    const { data, error } = await revokeKey({ input: { id } }, keysContext) // Its result has the ID only.
    if (!data?.revokeApiKey) throw error
    notify(text.revoked)
    onRevoked()
  }
  return (
    <ConfirmDialog
      title={text.revokeTitle(name)}
      action={text.revoke}
      typed={name}
      run={run}
      onClose={onClose}
    >
      <p>{text.revokeText}</p>
    </ConfirmDialog>
  )
}
