import { useState } from 'react'
import { useConfirmedMutation } from '../../../shell/confirmation.tsx'
import { useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { FormFault, TextField } from '../../../ui/field.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { Details, Time } from '../../../ui/values.tsx'
import { messages as settingsMessages } from '../frame/messages.ts'
import { type Factor, factorsContext, removeFactorDocument, updateFactorDocument } from './documents.ts'
import { messages } from './messages.ts'

const fieldNames = ['name']

/** The panel of one second factor: its name and its removal. Removing the last one switches the second step off. */
export function FactorDialog({
  factor,
  isLast,
  onClose,
}: {
  factor: Factor | undefined
  isLast: boolean
  onClose(): void
}) {
  const text = useText(messages)
  return (
    <Dialog side title={factor?.name ?? text.secondFactors} onClose={onClose}>
      {factor ? <Edit factor={factor} isLast={isLast} onClose={onClose} /> : <p>{text.missing}</p>}
    </Dialog>
  )
}

function Edit({ factor, isLast, onClose }: { factor: Factor; isLast: boolean; onClose(): void }) {
  const text = useText(messages)
  const settings = useText(settingsMessages)
  const { id, kind, name, createdAt, lastUsedAt } = factor
  const [isRemoving, setIsRemoving] = useState(false)
  const [, update] = useConfirmedMutation(updateFactorDocument)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const input = { id, name: String(fields.get('name')) }
    const { data, error } = await update({ input }, factorsContext)
    if (!data?.updateSecondFactor) throw error
    notify(settings.saved)
    onClose()
  })
  return (
    <div className="flex flex-col gap-5">
      <Details
        rows={[
          [text.kind, text.kinds[kind]],
          [text.added, <Time key="added" value={createdAt} />],
          [text.lastUsed, lastUsedAt === null ? settings.never : <Time key="used" value={lastUsedAt} />],
        ]}
      />
      <form {...formProps} className="flex flex-col gap-4">
        <FormFault faults={faults} names={fieldNames} />
        <TextField
          label={settings.name}
          name="name"
          autoComplete="off"
          required
          maxLength={100}
          defaultValue={name}
          faults={faults}
        />
        <DialogActions>
          <Button kind="danger" onClick={() => setIsRemoving(true)}>
            {isLast ? text.switchOff : text.remove}
          </Button>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {settings.save}
          </Button>
        </DialogActions>
      </form>
      {isRemoving && (
        <Remove factor={factor} isLast={isLast} onClose={() => setIsRemoving(false)} onRemoved={onClose} />
      )}
    </div>
  )
}

function Remove({
  factor: { id, kind, name },
  isLast,
  onClose,
  onRemoved,
}: {
  factor: Factor
  isLast: boolean
  onClose(): void
  onRemoved(): void
}) {
  const text = useText(messages)
  const [, remove] = useConfirmedMutation(removeFactorDocument)
  const run = async () => {
    const { data, error } = await remove({ input: { id } }, factorsContext)
    if (!data?.removeSecondFactor) throw error
    notify(isLast ? text.switchedOff : text.removed)
    onRemoved()
  }
  return (
    <ConfirmDialog
      title={isLast ? text.switchOffTitle : text.removeTitle(name)}
      action={isLast ? text.switchOff : text.remove}
      run={run}
      onClose={onClose}
    >
      <p className="break-words">{isLast ? text.switchOffText(name) : text.removeText[kind]}</p>
    </ConfirmDialog>
  )
}
