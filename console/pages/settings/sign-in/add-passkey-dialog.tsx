import { useState } from 'react'
import { createPasskey } from '../../../session/passkey.ts'
import { useConfirmedMutation } from '../../../shell/confirmation.tsx'
import { useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { FormFault, TextField } from '../../../ui/field.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { messages as settingsMessages } from '../frame/messages.ts'
import { Added } from './added.tsx'
import { addPasskeyDocument, type Enrolment, factorsContext, startPasskeyDocument } from './documents.ts'
import { messages } from './messages.ts'

const fieldNames = ['name']

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
  const settings = useText(settingsMessages)
  const [, start] = useConfirmedMutation(startPasskeyDocument)
  const [, add] = useConfirmedMutation(addPasskeyDocument)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const name = String(fields.get('name'))
    const started = await start({})
    if (!started.data?.startPasskeyRegistration) throw started.error
    const { challengeToken, options } = started.data.startPasskeyRegistration
    const passkey = await createPasskey(options, text.passkeyFailed)
    const { data, error } = await add({ input: { challengeToken, name, passkey } }, factorsContext)
    if (!data?.addPasskey) throw error
    onDone(data.addPasskey)
  })
  return (
    <form {...formProps} className="flex flex-col gap-4">
      <p>{text.addPasskeyText}</p>
      <FormFault faults={faults} names={fieldNames} />
      <TextField
        label={settings.name}
        name="name"
        hint={text.factorNameHint}
        autoComplete="off"
        required
        maxLength={100}
        defaultValue={text.kinds.PASSKEY}
        faults={faults}
      />
      <DialogActions>
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {text.createPasskey}
        </Button>
      </DialogActions>
    </form>
  )
}
