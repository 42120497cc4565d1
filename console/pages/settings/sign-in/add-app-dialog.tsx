import { lazy, Suspense, useState } from 'react'
import { useConfirmedMutation } from '../../../shell/confirmation.tsx'
import { useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { FormFault, TextField } from '../../../ui/field.tsx'
import { Loading } from '../../../ui/states.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { Added } from './added.tsx'
import {
  activateAppDocument,
  addAppDocument,
  type Enrolment,
  factorsContext,
  type PendingApp,
} from './documents.ts'
import { messages } from './messages.ts'
import { NewFactorForm } from './new-factor-form.tsx'

const QrCode = lazy(() => import('../../../ui/qr-code.tsx'))

/** Adds an authenticator app: its name, the QR code with its secret, its first code, and the recovery codes. */
export function AddAppDialog({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const [app, setApp] = useState<PendingApp>()
  const [enrolment, setEnrolment] = useState<Enrolment>()
  const step = enrolment ? 'added' : app ? 'code' : 'name'
  return (
    // A new dialog gives the focus to the first field of its step.
    <Dialog key={step} title={text.addApp} onClose={onClose}>
      {enrolment && <Added enrolment={enrolment} onClose={onClose} />}
      {app && !enrolment && <Code app={app} onDone={setEnrolment} />}
      {!app && <Name onDone={setApp} />}
    </Dialog>
  )
}

function Name({ onDone }: { onDone(app: PendingApp): void }) {
  const text = useText(messages)
  const [, add] = useConfirmedMutation(addAppDocument)
  const run = async (name: string) => {
    const { data, error } = await add({ input: { name } })
    if (!data?.addAuthenticatorApp) throw error
    onDone(data.addAuthenticatorApp)
  }
  return <NewFactorForm name={text.kinds.TOTP} intro={text.addAppText} action={text.next} run={run} />
}

const codeFields = ['code']

function Code({
  app: { authenticatorAppId, secret, uri },
  onDone,
}: {
  app: PendingApp
  onDone(enrolment: Enrolment): void
}) {
  const text = useText(messages)
  const [, activate] = useConfirmedMutation(activateAppDocument)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const code = String(fields.get('code')).replaceAll(/\s/g, '')
    const { data, error } = await activate({ input: { id: authenticatorAppId, code } }, factorsContext)
    if (!data?.activateAuthenticatorApp) throw error
    onDone(data.activateAuthenticatorApp)
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <p>{text.scan}</p>
      <Suspense fallback={<Loading lines={4} />}>
        <QrCode content={uri} label={text.qrCode} />
      </Suspense>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <p className="text-sm text-muted">{text.typeSecret}</p>
          <code className="font-mono text-sm">{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
        </div>
        <CopyButton value={secret} />
      </div>
      <FormFault faults={faults} names={codeFields} />
      <TextField
        label={text.firstCode}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        faults={faults}
      />
      <DialogActions>
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {text.activate}
        </Button>
      </DialogActions>
    </form>
  )
}
