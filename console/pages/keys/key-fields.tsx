import type { Faults } from '../../graph/faults.ts'
import { useText } from '../../text/language.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { numberOf, textOf } from '../../ui/use-form.ts'
import type { Key } from './documents.ts'
import { messages } from './messages.ts'

/** The fields of the form, by their names in the graph's inputs. */
export const keyFieldNames = [
  'name',
  'creditLimit',
  'creditResetInterval',
  'rateLimitRpm',
  'rateLimitTph',
  'rateLimitTpd',
  'ipWhitelist',
  'allowedModels',
]

/** The settings of a key as a form, with the values of `apiKey` if it exists. */
export function KeyFields({ apiKey, faults }: { apiKey?: Key; faults: Faults | undefined }) {
  const text = useText(messages)
  const hasLimits =
    apiKey !== undefined &&
    (apiKey.rateLimitRpm ?? apiKey.rateLimitTph ?? apiKey.rateLimitTpd ?? null) !== null
  const hasFault = keyFieldNames
    .slice(3)
    .some(name => [...(faults?.fields.keys() ?? [])].some(it => it.startsWith(name)))
  return (
    <>
      <TextField
        label={text.name}
        hint={text.nameHint}
        name="name"
        required
        maxLength={200}
        autoComplete="off"
        defaultValue={apiKey?.name}
        faults={faults}
      />
      <TextField
        label={text.creditLimit}
        hint={text.creditLimitHint}
        name="creditLimit"
        inputMode="decimal"
        autoComplete="off"
        defaultValue={apiKey?.creditLimit ?? ''}
        faults={faults}
      />
      <SelectField
        label={text.interval}
        name="creditResetInterval"
        defaultValue={apiKey?.creditResetInterval ?? 'NONE'}
        options={Object.entries(text.intervals)}
        faults={faults}
      />
      <details open={hasLimits || hasFault || undefined}>
        <summary className="font-medium">{text.limits}</summary>
        <div className="mt-3 flex flex-col gap-4">
          <div className="grid gap-4 sm:grid-cols-3">
            <NumberField label={text.rpm} name="rateLimitRpm" value={apiKey?.rateLimitRpm} faults={faults} />
            <NumberField label={text.tph} name="rateLimitTph" value={apiKey?.rateLimitTph} faults={faults} />
            <NumberField label={text.tpd} name="rateLimitTpd" value={apiKey?.rateLimitTpd} faults={faults} />
          </div>
          <TextField
            label={text.addresses}
            hint={text.addressesHint}
            name="ipWhitelist"
            autoComplete="off"
            defaultValue={apiKey?.ipWhitelist.join(' ')}
            faults={faults}
          />
          <TextField
            label={text.models}
            hint={text.modelsHint}
            name="allowedModels"
            autoComplete="off"
            defaultValue={apiKey?.allowedModels.join(' ')}
            faults={faults}
          />
        </div>
      </details>
    </>
  )
}

function NumberField(field: {
  label: string
  name: string
  value: number | null | undefined
  faults: Faults | undefined
}) {
  const { label, name, value, faults } = field
  return (
    <TextField
      label={label}
      name={name}
      type="number"
      inputMode="numeric"
      autoComplete="off"
      defaultValue={value ?? ''}
      faults={faults}
    />
  )
}

/** Reads the form as an input of the graph. Empty fields mean no limit. */
export function keyInputOf(fields: FormData) {
  const list = (name: string) => (textOf(fields, name) ?? '').split(/[\s,]+/).filter(item => item !== '')
  const interval = textOf(fields, 'creditResetInterval')
  return {
    name: textOf(fields, 'name') ?? '',
    creditLimit: textOf(fields, 'creditLimit'),
    creditResetInterval: interval as Key['creditResetInterval'],
    rateLimitRpm: numberOf(fields, 'rateLimitRpm'),
    rateLimitTph: numberOf(fields, 'rateLimitTph'),
    rateLimitTpd: numberOf(fields, 'rateLimitTpd'),
    ipWhitelist: list('ipWhitelist'),
    allowedModels: list('allowedModels'),
  }
}
