import { useState } from 'react'
import { useConfirmedMutation } from '../../../shell/confirmation.tsx'
import { useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/confirm.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { Checkbox } from '../../../ui/field.tsx'
import { saveText } from '../../../ui/save-text.ts'
import { messages as settingsMessages } from '../frame/messages.ts'
import { factorsContext, renewCodesDocument } from './documents.ts'
import { messages } from './messages.ts'

/**
 * Shows recovery codes, which the service does not show again. The user states that they are kept before the dialog
 * closes with its button.
 */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose(): void }) {
  const text = useText(messages)
  const { done } = useText(settingsMessages)
  const [isKept, setIsKept] = useState(false)
  const content = `${codes.join('\n')}\n`
  return (
    <div className="flex flex-col gap-4">
      <p>{text.keepCodes}</p>
      <ul
        aria-label={text.recoveryCodes}
        className="grid grid-cols-1 gap-x-6 gap-y-1 rounded-md border border-line bg-canvas p-4 font-mono min-[30rem]:grid-cols-2"
      >
        {codes.map(code => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton value={content} label={text.copyCodes} />
        <Button onClick={() => saveText(content, 'rubicon-recovery-codes.txt')}>{text.downloadCodes}</Button>
      </div>
      <Checkbox label={text.codesKept} checked={isKept} onChange={event => setIsKept(event.target.checked)} />
      <DialogActions>
        <Button kind="primary" disabled={!isKept} onClick={onClose}>
          {done}
        </Button>
      </DialogActions>
    </div>
  )
}

/** Replaces the recovery codes, and shows the new ones. */
export function RenewCodesDialog({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const [codes, setCodes] = useState<readonly string[]>()
  const [, renew] = useConfirmedMutation(renewCodesDocument)
  const run = async () => {
    const { data, error } = await renew({}, factorsContext)
    if (!data?.renewRecoveryCodes) throw error
    setCodes(data.renewRecoveryCodes.recoveryCodes)
  }
  if (codes)
    return (
      <Dialog key="codes" title={text.recoveryCodes} onClose={onClose}>
        <RecoveryCodes codes={codes} onClose={onClose} />
      </Dialog>
    )
  return (
    <ConfirmDialog title={text.newCodesTitle} action={text.newCodes} run={run} onClose={onClose}>
      <p>{text.newCodesText}</p>
    </ConfirmDialog>
  )
}
