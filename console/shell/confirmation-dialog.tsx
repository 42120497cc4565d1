import { useEffect, useState } from 'react'
import { type Faults, faultsOf } from '../graph/faults.ts'
import { type Confirmation, confirmIdentity, startConfirmation } from '../session/confirm.ts'
import { type ProofMethod, signChallenge } from '../session/passkey.ts'
import { endSession } from '../session/session.ts'
import { useText } from '../text/language.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { FormFault, TextField } from '../ui/field.tsx'
import { Loading } from '../ui/states.tsx'
import { textOf, useForm } from '../ui/use-form.ts'
import { firstMethod, OtherMethods, ProofField } from './proof-fields.tsx'
import { messages } from './proof-messages.ts'

const noFields: readonly string[] = []
const fieldNames = ['password', 'code', 'recovery_code']

/** Confirms the session with the password and a second factor, or with a passkey. */
export default function ConfirmationDialog({ onClose }: { onClose(isConfirmed: boolean): void }) {
  const text = useText(messages)
  const [confirmation, setConfirmation] = useState<Confirmation>()
  const [faults, setFaults] = useState<Faults>()
  useEffect(() => {
    startConfirmation().then(setConfirmation, error => setFaults(faultsOf(error)))
  }, [])
  return (
    // A new dialog gives the focus to its first field, which the previous one did not have.
    <Dialog key={confirmation?.challenge.token} title={text.confirmTitle} onClose={() => onClose(false)}>
      <FormFault faults={faults} names={noFields} />
      {confirmation ? (
        <Proof confirmation={confirmation} onDone={() => onClose(true)} />
      ) : (
        !faults && <Loading />
      )}
    </Dialog>
  )
}

function Proof({ confirmation, onDone }: { confirmation: Confirmation; onDone(): void }) {
  const text = useText(messages)
  const { hasPassword, challenge } = confirmation
  const methods = challenge.methods.filter(one => hasPassword || one === 'passkey')
  const [method, setMethod] = useState<ProofMethod | undefined>(firstMethod(methods))
  const { faults, isBusy, formProps } = useForm(async fields => {
    const password = textOf(fields, 'password') === null ? undefined : String(fields.get('password'))
    await confirmIdentity({
      ...(password !== undefined && { password }),
      ...(method === 'totp' && { code: textOf(fields, 'code') ?? '' }),
      ...(method === 'recovery_code' && { recovery_code: textOf(fields, 'recovery_code') ?? '' }),
      ...(method === 'passkey' && {
        passkey: await signChallenge(challenge, text.passkeyFailed),
        challenge_token: challenge.token,
      }),
    })
    onDone()
  })
  if (!hasPassword && method === undefined) return <LogInAgain />
  // A passkey whose authenticator does not verify the user needs the password too. The service then names the field.
  const needsPassword = method !== 'passkey' || faults?.fields.has('password') === true
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <p>{text.confirmText}</p>
      <FormFault faults={faults} names={fieldNames} />
      {needsPassword && (
        <TextField
          label={text.password}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          faults={faults}
        />
      )}
      <ProofField method={method} faults={faults} />
      <DialogActions>
        <OtherMethods methods={methods} method={method} onChange={setMethod} />
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {method === 'passkey' ? text.usePasskey : text.confirm}
        </Button>
      </DialogActions>
    </form>
  )
}

/** A log-in counts as a confirmation. */
function LogInAgain() {
  const text = useText(messages)
  return (
    <>
      <p>{text.logInAgainText}</p>
      <DialogActions>
        <Button kind="primary" onClick={() => void endSession()}>
          {text.logInAgain}
        </Button>
      </DialogActions>
    </>
  )
}
