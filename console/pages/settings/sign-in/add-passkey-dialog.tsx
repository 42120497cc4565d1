import { useState } from 'react'
import { createPasskey } from '../../../session/passkey.ts'
import { useConfirmedMutation } from '../../../shell/confirmation.tsx'
import { useText } from '../../../text/language.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Added } from './added.tsx'
import { addPasskeyDocument, type Enrolment, factorsContext, startPasskeyDocument } from './documents.ts'
import { messages } from './messages.ts'
import { NewFactorForm } from './new-factor-form.tsx'

/** Adds a passkey: its name, the browser's own dialog, and the recovery codes. */
export function AddPasskeyDialog({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const [enrolment, setEnrolment] = useState<Enrolment>()
  return (
    <Dialog key={enrolment ? 'added' : 'name'} title={text.addPasskey} onClose={onClose}>
      {enrolment ? <Added enrolment={enrolment} onClose={onClose} /> : <Name onDone={setEnrolment} />}
    </Dialog>
  )
}

function Name({ onDone }: { onDone(enrolment: Enrolment): void }) {
  const text = useText(messages)
  const [, start] = useConfirmedMutation(startPasskeyDocument)
  const [, add] = useConfirmedMutation(addPasskeyDocument)
  const run = async (name: string) => {
    const started = await start({})
    if (!started.data?.startPasskeyRegistration) throw started.error
    const { challengeToken, options } = started.data.startPasskeyRegistration
    const passkey = await createPasskey(options, text.passkeyFailed)
    const { data, error } = await add({ input: { challengeToken, name, passkey } }, factorsContext)
    if (!data?.addPasskey) throw error
    onDone(data.addPasskey)
  }
  return (
    <NewFactorForm
      name={text.kinds.PASSKEY}
      intro={text.addPasskeyText}
      action={text.createPasskey}
      run={run}
    />
  )
}
