import { useState } from 'react'
import { useMutation } from 'urql'
import { useText } from '../../text/language.ts'
import { SelectField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { notify } from '../../ui/toasts.tsx'
import { textOf } from '../../ui/use-form.ts'
import { CredentialFields, credentialFieldNames } from './credential-fields.tsx'
import { createCredentialDocument, credentialsContext, type Provider } from './documents.ts'
import { cloudOf, configOf, type Kind } from './kinds.ts'
import { messages } from './messages.ts'
import { providers } from './order.ts'

/** Adds a credential: its vendor, whether a cloud provides the models, and the fields that follow from both. */
export function CreateCredentialDialog({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const [provider, setProvider] = useState<Provider>('VENDOR_A')
  const [kind, setKind] = useState<Kind>('direct')
  const [, create] = useMutation(createCredentialDocument)
  const run = async (fields: FormData) => {
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
  }
  return (
    <FormDialog
      title={text.addTitle}
      action={text.add}
      names={[...credentialFieldNames, 'provider']}
      run={run}
      onClose={onClose}
    >
      {faults => (
        <>
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
          <CredentialFields key={kind} kind={kind} faults={faults} />
        </>
      )}
    </FormDialog>
  )
}
