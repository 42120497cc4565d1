import type { Faults } from '../../graph/faults.ts'
import { useText } from '../../text/language.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { textOf } from '../../ui/use-form.ts'
import type { Budget } from './documents.ts'
import { messages } from './messages.ts'

/** The fields of the form, by their names in the graph's inputs. */
export const limitFieldNames = ['limit', 'action', 'resetInterval']

/** The limit of a budget as a form, with the values of `budget` if it exists. */
export function LimitFields({ budget, faults }: { budget?: Budget; faults: Faults | undefined }) {
  const text = useText(messages)
  return (
    <>
      <TextField
        label={text.limit}
        hint={text.limitHint}
        name="limit"
        inputMode="decimal"
        autoComplete="off"
        required
        defaultValue={budget?.limit}
        faults={faults}
      />
      <SelectField
        label={text.interval}
        name="resetInterval"
        defaultValue={budget?.resetInterval ?? 'MONTHLY'}
        options={Object.entries(text.intervals)}
        faults={faults}
      />
      <SelectField
        label={text.action}
        name="action"
        defaultValue={budget?.action ?? 'REFUSE'}
        options={Object.entries(text.actions)}
        faults={faults}
      />
    </>
  )
}

/** Reads the limit of the form as an input of the graph. */
export function limitInputOf(fields: FormData) {
  return {
    limit: textOf(fields, 'limit') ?? '',
    resetInterval: textOf(fields, 'resetInterval') as Budget['resetInterval'],
    action: textOf(fields, 'action') as Budget['action'],
  }
}
