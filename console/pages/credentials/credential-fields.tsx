import type { Faults } from '../../graph/faults.ts'
import { useText } from '../../text/language.ts'
import { AreaField, Checkbox, TextField } from '../../ui/field.tsx'
import type { Credential } from './documents.ts'
import { type ConfigField, configFields, type Kind, kinds, storedConfig } from './kinds.ts'
import { messages } from './messages.ts'

/** The fields of the form that show their faults, by their names in the graph's inputs. */
export const credentialFieldNames: readonly string[] = [
  'label',
  'apiKey',
  'baseUrl',
  ...kinds.flatMap(kind => configFields[kind].map(({ name }) => `configJson.${name}`)),
]

/** The settings of a credential as a form, with the stored values of `credential` if it exists. */
export function CredentialFields({
  kind,
  credential,
  faults,
}: {
  kind: Kind
  credential?: Credential
  faults: Faults | undefined
}) {
  const text = useText(messages)
  const stored = storedConfig(credential?.configJson)
  const hasKey = credential !== undefined && credential.apiKeyPrefix !== ''
  return (
    <>
      <TextField
        label={text.label}
        hint={text.labelHint}
        name="label"
        required
        maxLength={100}
        autoComplete="off"
        defaultValue={credential?.label}
        faults={faults}
      />
      {kind !== 'vertex' && (
        <TextField
          label={kind === 'bedrock' ? text.apiKeyBedrock : text.apiKey}
          hint={hasKey ? text.keep : undefined}
          name="apiKey"
          type="password"
          autoComplete="off"
          required={kind !== 'bedrock' && !hasKey}
          placeholder={credential?.apiKeyPrefix}
          faults={faults}
        />
      )}
      {configFields[kind].map(field => (
        <Setting key={field.name} field={field} stored={stored[field.name]} faults={faults} />
      ))}
      {kind === 'direct' && (
        <TextField
          label={text.baseUrl}
          hint={text.baseUrlHint}
          name="baseUrl"
          type="url"
          autoComplete="off"
          defaultValue={credential?.baseUrl ?? ''}
          faults={faults}
        />
      )}
      <div className="flex flex-col gap-1">
        <Checkbox label={text.alwaysUse} name="alwaysUse" defaultChecked={credential?.alwaysUse} />
        <p className="pl-6 text-sm text-muted">{text.alwaysUseHint}</p>
      </div>
    </>
  )
}

function Setting({
  field: { name, isSecret = false, isRequired = false, isJson = false },
  stored,
  faults,
}: {
  field: ConfigField
  stored: unknown
  faults: Faults | undefined
}) {
  const text = useText(messages)
  const known = name as keyof typeof text.fields
  const isStored = isSecret && stored !== undefined
  const props = {
    label: text.fields[known],
    hint: isStored ? text.keep : text.hints[known] || undefined,
    name: `configJson.${name}`,
    required: isRequired && !isStored,
    autoComplete: 'off',
    faults,
  }
  if (isJson) return <AreaField {...props} rows={6} spellCheck={false} />
  return (
    <TextField
      {...props}
      type={isSecret ? 'password' : 'text'}
      defaultValue={isSecret || stored === undefined ? '' : String(stored)}
    />
  )
}
