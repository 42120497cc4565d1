import { useState } from 'react'
import { useMutation } from 'urql'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { FormFault, SelectField } from '../../ui/field.tsx'
import { notify } from '../../ui/toasts.tsx'
import { textOf, useForm } from '../../ui/use-form.ts'
import { CredentialFields, credentialFieldNames } from './credential-fields.tsx'
import { createCredentialDocument, credentialsContext, type Provider } from './documents.ts'
import { cloudOf, configOf, type Kind } from './kinds.ts'
import { messages } from './messages.ts'
import { providers } from './order.ts'

/** Adds a credential: a vendor, the way to it, and the fields of that way. */
export function CreateCredentialDialog({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const [provider, setProvider] = useState<Provider>('VENDOR_A')
  const [kind, setKind] = useState<Kind>('direct')
  const [, create] = useMutation(createCredentialDocument)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const input = {
      provider,
      label: textOf(fields, 'label') ?? '',
      apiKey: textOf(fields, 'apiKey'),
      baseUrl: textOf(fields, 'baseUrl'),
      configJson: configOf(kind, fields, {}),
      alwaysUse: fields.has('alwaysUse'),
    }
    const { data, error } = await create({ input }, credentialsContext)
    if (!data?.createByokCredential) throw error
    notify(text.created)
    onClose()
  })
  return (
    <Dialog title={text.addTitle} onClose={onClose}>
      <form {...formProps} className="flex flex-col gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label={text.vendor}
            name="provider"
            value={provider}
            options={providers.map(name => [name, name.toLowerCase()])}
            onChange={event => {
              const [chosen = provider] = providers.filter(name => name === event.target.value)
              setProvider(chosen)
              setKind('direct')
            }}
            faults={faults}
          />
          <SelectField
            label={text.kind}
            name="kind"
            value={kind}
            options={(['direct', cloudOf[provider]] as const).map(name => [name, text.kinds[name]])}
            onChange={event => setKind(event.target.value === 'direct' ? 'direct' : cloudOf[provider])}
          />
        </div>
        <FormFault faults={faults} names={[...credentialFieldNames, 'provider']} />
        <CredentialFields key={kind} kind={kind} faults={faults} />
        <DialogActions>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {text.add}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
