import type { Entered, SchemaField } from '../../inference/schema-fields.ts'
import { SchemaForm } from '../../inference/schema-form.tsx'
import { useText } from '../../text/language.ts'
import { AreaField } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { messages } from './messages.ts'

/** Parameters that most people look for. The others are one click away. */
const common: readonly string[] = ['max_tokens', 'temperature', 'top_p', 'reasoning_effort']

/** The system text and the parameters of the model. */
export function Settings({
  system,
  fields,
  entered,
  onSystem,
  onEnter,
}: {
  system: string
  fields: readonly SchemaField[]
  entered: Entered
  onSystem(text: string): void
  onEnter(name: string, value: string): void
}) {
  const text = useText(messages)
  const form = { entered, faults: undefined, onEnter }
  const others = fields.filter(({ name }) => !common.includes(name))
  return (
    <Panel title={text.settings}>
      <div className="flex flex-col gap-4 p-5">
        <AreaField
          label={text.system}
          hint={text.systemHint}
          name="system"
          value={system}
          className="min-h-20"
          onChange={event => onSystem(event.target.value)}
        />
        <SchemaForm fields={fields.filter(({ name }) => common.includes(name))} {...form} />
        {others.length > 0 && (
          <details>
            <summary className="text-sm text-muted hover:text-ink">{text.moreParameters}</summary>
            <div className="mt-3 flex flex-col gap-4">
              <SchemaForm fields={others} {...form} />
            </div>
          </details>
        )}
      </div>
    </Panel>
  )
}
