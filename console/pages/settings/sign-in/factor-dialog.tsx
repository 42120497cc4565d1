import { useState } from 'react'
import { useConfirmedMutation } from '../../../shell/confirmation.tsx'
import { useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { Details, Time } from '../../../ui/values.tsx'
import { messages as settingsMessages } from '../frame/messages.ts'
import { NameForm } from '../frame/name-form.tsx'
import { type Factor, factorsContext, removeFactorDocument, updateFactorDocument } from './documents.ts'
import { messages } from './messages.ts'

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
  const run = async (given: string) => {
    const { data, error } = await update({ input: { id, name: given } }, factorsContext)
    if (!data?.updateSecondFactor) throw error
    notify(settings.saved)
    onClose()
  }
  return (
    <div className="flex flex-col gap-5">
      <Details
        rows={[
          [text.kind, text.kinds[kind]],
          [text.added, <Time key="added" value={createdAt} />],
          [text.lastUsed, lastUsedAt === null ? settings.never : <Time key="used" value={lastUsedAt} />],
        ]}
      />
      <NameForm
        name={name}
        maxLength={100}
        run={run}
        actions={isBusy => (
          <DialogActions>
            <Button kind="danger" onClick={() => setIsRemoving(true)}>
              {isLast ? text.switchOff : text.remove}
            </Button>
            <Button type="submit" kind="primary" isBusy={isBusy}>
              {settings.save}
            </Button>
          </DialogActions>
        )}
      />
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
