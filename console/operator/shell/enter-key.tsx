import { ServiceError } from '../../session/rest.ts'
import { EntryPage } from '../../shell/entry-page.tsx'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { FormFault, TextField } from '../../ui/field.tsx'
import { textOf, useForm } from '../../ui/use-form.ts'
import { enterKey, useEnding } from '../session/operator-key.ts'
import { messages } from './messages.ts'

/** The form that asks for an operator's key. The page that was asked for opens when the service has accepted it. */
export function EnterKey() {
  const text = useText(messages)
  const ending = useEnding()
  const { faults, isBusy, formProps } = useForm(async fields => {
    const key = textOf(fields, 'key') ?? ''
    if (!/^sk-rb-op-[\x21-\x7e]+$/.test(key))
      throw new ServiceError(text.notAKey, { code: 'unauthenticated', param: 'key' })
    try {
      await enterKey(key)
    } catch (error) {
      const isUnknown = error instanceof ServiceError && error.code === 'unauthenticated'
      throw isUnknown ? new ServiceError(text.unknown, { code: error.code, param: 'key' }) : error
    }
  })
  return (
    <EntryPage
      title={text.title}
      footer={
        <a href="/console/log-in" className="underline">
          {text.toLogIn}
        </a>
      }
    >
      <p className="text-muted">{text.intro}</p>
      {ending === 'refused' && <p className="text-sm text-warn">{text.refused}</p>}
      <form {...formProps} className="flex flex-col gap-4">
        <FormFault faults={faults} names={['key']} />
        <TextField
          label={text.key}
          hint={text.keyHint}
          name="key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          maxLength={200}
          faults={faults}
        />
        <p className="text-sm text-muted">{text.memory}</p>
        <Button type="submit" kind="primary" isBusy={isBusy}>
          {text.enter}
        </Button>
      </form>
    </EntryPage>
  )
}
