import { useState } from 'react'
import { type Faults, faultText } from '../graph/faults.ts'
import { useText } from '../text/language.ts'
import { AreaField, Checkbox, SelectField, TextField } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { notify } from '../ui/toasts.tsx'
import { uploadFile } from './call-inference.ts'
import { messages } from './messages.ts'
import type { Entered, SchemaField } from './schema-fields.ts'

interface FormProps {
  entered: Entered
  faults: Faults | undefined
  onEnter(name: string, value: string): void
}

/** A field for each parameter of a model. */
export function SchemaForm({ fields, ...form }: FormProps & { fields: readonly SchemaField[] }) {
  return (
    <>
      {fields.map(field => (
        <Field key={field.name} field={field} {...form} />
      ))}
    </>
  )
}

function Field({ field, entered, faults, onEnter }: FormProps & { field: SchemaField }) {
  const text = useText(messages)
  const { name, kind, hint, isRequired, initial, options, min, max, step, maxLength } = field
  const value = entered[name] ?? ''
  const set = (event: { target: { value: string } }) => onEnter(name, event.target.value)
  const shared = { label: name, name, hint, faults, required: isRequired, value, onChange: set }
  if (kind === 'flag')
    return (
      <Checkbox
        name={name}
        label={hint ? `${name}: ${hint}` : name}
        checked={(entered[name] ?? initial) === 'true'}
        onChange={event => onEnter(name, String(event.target.checked))}
      />
    )
  if (kind === 'choice') {
    const none: [string, string] = ['', initial === undefined ? text.unset : text.initial(initial)]
    return (
      <SelectField
        {...shared}
        options={[none, ...options.map(option => [option, option] as [string, string])]}
      />
    )
  }
  if (kind === 'number')
    return <TextField {...shared} type="number" min={min} max={max} step={step} placeholder={initial} />
  if (kind === 'files')
    return <FilesField field={field} entered={entered} faults={faults} onEnter={onEnter} />
  if (kind === 'text') return <TextField {...shared} maxLength={maxLength} placeholder={initial} />
  return (
    <AreaField
      {...shared}
      maxLength={kind === 'long' ? maxLength : undefined}
      className={kind === 'json' ? 'font-mono' : 'min-h-20'}
      placeholder={kind === 'json' ? 'JSON' : initial}
    />
  )
}

/** URLs of files, one a line, and a button that stores files of this device and adds their URLs. */
function FilesField({
  field: { name, hint, isRequired, isList },
  entered,
  faults,
  onEnter,
}: FormProps & { field: SchemaField }) {
  const text = useText(messages)
  const [isBusy, setIsBusy] = useState(false)
  const value = entered[name] ?? ''
  const add = async (files: readonly File[]) => {
    setIsBusy(true)
    try {
      const urls = await Promise.all(files.map(uploadFile))
      onEnter(name, [...(isList ? value.split(/\s+/) : []), ...urls].filter(Boolean).join('\n'))
    } catch (error) {
      notify(faultText(error))
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <div className="flex flex-col gap-2">
      <AreaField
        label={name}
        name={name}
        hint={hint}
        faults={faults}
        required={isRequired}
        value={value}
        placeholder="https://"
        onChange={event => onEnter(name, event.target.value)}
      />
      <label className="inline-flex w-fit items-center gap-2 rounded-md border border-line bg-surface px-3 py-1.5 font-medium shadow-raised focus-within:outline-2 focus-within:outline-accent hover:bg-hover has-disabled:opacity-55">
        <Icon name="upload" />
        {text.addFiles}
        <input
          type="file"
          className="sr-only"
          accept="image/*,video/mp4"
          multiple={isList}
          disabled={isBusy}
          onChange={event => {
            void add([...(event.target.files ?? [])])
            event.target.value = ''
          }}
        />
      </label>
    </div>
  )
}
