import { useText } from '../text/language.ts'
import { SelectField } from '../ui/field.tsx'
import { ErrorState } from '../ui/states.tsx'
import { messages } from './messages.ts'
import type { Models } from './models.ts'

/** The choice of a model. An unknown one, such as of a shared address, stays in the list. */
export function ModelField({
  of: { models, error, retry },
  value,
  label,
  onChange,
}: {
  of: Models
  value: string | undefined
  label?: string
  onChange(model: string): void
}) {
  const text = useText(messages)
  if (error) return <ErrorState error={error} retry={retry} />
  const known = (models ?? []).map(
    ({ inferenceId, name }) => [inferenceId, `${name} · ${inferenceId}`] as [string, string],
  )
  const isListed = value === undefined || known.some(([id]) => id === value)
  const none: [string, string][] = models === undefined ? [['', text.loadingModels]] : []
  const options =
    known.length === 0 && models ? [['', text.noModels] as [string, string]] : [...none, ...known]
  return (
    <SelectField
      label={label ?? text.model}
      name="model"
      value={value ?? ''}
      options={isListed ? options : [[value, value], ...options]}
      onChange={event => onChange(event.target.value)}
    />
  )
}
