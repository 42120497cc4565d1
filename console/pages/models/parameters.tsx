import { useText } from '../../text/language.ts'
import { Badge, Section } from '../../ui/page.tsx'
import { messages } from './messages.ts'
import { parametersOf } from './schema.ts'

/** The parameters of a model, from its JSON Schema. */
export function Parameters({ schema }: { schema: unknown }) {
  const text = useText(messages)
  const parameters = parametersOf(schema)
  if (parameters.length === 0) return null
  return (
    <Section title={text.parameters}>
      <ul className="flex flex-col divide-y divide-line rounded-lg border border-line">
        {parameters.map(({ name, type, description, isRequired, values, defaultValue }) => (
          <li key={name} className="flex flex-col gap-0.5 px-4 py-2.5">
            <span className="flex flex-wrap items-center gap-2">
              <code className="font-mono text-sm font-medium wrap-anywhere">{name}</code>
              <span className="text-sm text-muted">{type}</span>
              {isRequired && <Badge tone="warn">{text.required}</Badge>}
            </span>
            {description !== undefined && <span className="text-sm">{description}</span>}
            {values !== undefined && (
              <span className="text-sm break-words text-muted">{text.oneOf(values.join(', '))}</span>
            )}
            {defaultValue !== undefined && (
              <span className="text-sm break-words text-muted">{text.defaultIs(String(defaultValue))}</span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}
