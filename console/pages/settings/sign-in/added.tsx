import { useFormat, useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { DialogActions } from '../../../ui/dialog.tsx'
import { messages as settingsMessages } from '../frame/messages.ts'
import type { Enrolment } from './documents.ts'
import { messages } from './messages.ts'
import { RecoveryCodes } from './recovery-codes.tsx'

/** The end of an enrolment. The first second factor comes with recovery codes, and has ended the other sessions. */
export function Added({
  enrolment: { recoveryCodes, endedSessions },
  onClose,
}: {
  enrolment: Enrolment
  onClose(): void
}) {
  const text = useText(messages)
  const { done } = useText(settingsMessages)
  const format = useFormat()
  return (
    <div className="flex flex-col gap-4">
      <p role="status">
        {text.factorAdded} {endedSessions > 0 && text.sessionsEnded(format.number(endedSessions))}
      </p>
      {recoveryCodes.length > 0 ? (
        <RecoveryCodes codes={recoveryCodes} onClose={onClose} />
      ) : (
        <DialogActions>
          <Button kind="primary" onClick={onClose}>
            {done}
          </Button>
        </DialogActions>
      )}
    </div>
  )
}
