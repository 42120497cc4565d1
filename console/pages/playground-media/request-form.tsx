import { type FormEvent, useState } from 'react'
import { ModelField } from '../../inference/model-field.tsx'
import type { Model, Models } from '../../inference/models.ts'
import { type Entered, fieldsOf, parametersOf } from '../../inference/schema-fields.ts'
import { SchemaForm } from '../../inference/schema-form.tsx'
import { PermittedButton } from '../../shell/permissions.tsx'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { FormFault, TextField } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { useForm } from '../../ui/use-form.ts'
import { curlOf, pathOf } from './generate.ts'
import { messages } from './messages.ts'
import { Price } from './price.tsx'
import type { MediaKind } from './route.ts'

/** The form of a request: a model, and the parameters that its schema declares. */
export function RequestForm({
  kind,
  models,
  model,
  chosen,
  onChoose,
  onSubmit,
}: {
  kind: MediaKind
  models: Models
  model: Model | undefined
  chosen: string | undefined
  onChoose(model: string): void
  /** Sends the request. Throws its error, which is then shown beside its field. */
  onSubmit(model: Model, parameters: Record<string, unknown>): Promise<void>
}) {
  const text = useText(messages)
  const [entered, setEntered] = useState<Entered>({})
  const [isCode, setIsCode] = useState(false)
  const fields = fieldsOf(model?.parameters)
  const read = () => ({ ...parametersOf(fields, entered), ...callbackOf(entered) })
  const { faults, isBusy, formProps } = useForm(async () => {
    if (model) await onSubmit(model, read())
  })
  const onEnter = (name: string, value: string) => setEntered(all => ({ ...all, [name]: value }))
  return (
    <Panel title={text.request}>
      <form {...formProps} className="flex flex-col gap-4 p-5">
        <ModelField of={models} value={chosen} onChange={onChoose} />
        {model?.description && <p className="-mt-2 text-sm text-muted">{model.description}</p>}
        <SchemaForm fields={fields} entered={entered} faults={faults} onEnter={onEnter} />
        {kind !== 'images' && (
          <TextField
            label={text.callback}
            hint={text.callbackHint}
            name="callback_url"
            type="url"
            faults={faults}
            value={entered.callback_url ?? ''}
            onChange={(event: FormEvent<HTMLInputElement>) =>
              onEnter('callback_url', event.currentTarget.value)
            }
          />
        )}
        <FormFault faults={faults} names={[...fields.map(({ name }) => name), 'callback_url']} />
        {model && <Price model={model} parameters={readable(read)} />}
        <DialogActions>
          <Button icon="code" onClick={() => setIsCode(true)}>
            {text.asCode}
          </Button>
          <PermittedButton
            field="Mutation.createPlaygroundKey"
            type="submit"
            kind="primary"
            isBusy={isBusy}
            disabled={!model}
          >
            {text.generate[kind]}
          </PermittedButton>
        </DialogActions>
      </form>
      {isCode && model && (
        <Dialog side title={text.asCodeTitle} onClose={() => setIsCode(false)}>
          <div className="flex flex-col gap-4">
            <p className="text-muted">{text.asCodeText}</p>
            <CodeBlock
              label="curl"
              code={curlOf(pathOf(kind, model), { model: model.inferenceId, ...readable(read) })}
            />
          </div>
        </Dialog>
      )}
    </Panel>
  )
}

function callbackOf({ callback_url: url = '' }: Entered): { callback_url?: string } {
  return url.trim() === '' ? {} : { callback_url: url.trim() }
}

/** JSON that is still being typed is left out. */
function readable(read: () => Record<string, unknown>): Record<string, unknown> {
  try {
    return read()
  } catch {
    return {}
  }
}
