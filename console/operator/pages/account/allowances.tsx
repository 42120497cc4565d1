import { useState } from 'react'
import { useMutation } from 'urql'
import { AllowanceTable } from '../../../allowances/allowance-table.tsx'
import { resourceText, resourceTexts } from '../../../allowances/resources.ts'
import { useText } from '../../../text/language.ts'
import { TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { Panel, PanelIntro } from '../../../ui/page.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { numberOf } from '../../../ui/use-form.ts'
import { type AccountDetail, type Allowance, allowanceDocument } from './documents.ts'
import { messages } from './messages.ts'

/** The limits of an account. Each can be replaced for this account alone. */
export function Allowances({ account: { id, allowances } }: { account: AccountDetail }) {
  const text = useText(messages)
  const [changed, setChanged] = useState<string>()
  const allowance = allowances.find(({ resource }) => resource === changed)
  return (
    <Panel title={text.allowances}>
      <PanelIntro>{text.allowancesText}</PanelIntro>
      <AllowanceTable caption={text.allowances} allowances={allowances} onChoose={setChanged} />
      {allowance && (
        <AllowanceDialog accountId={id} allowance={allowance} onClose={() => setChanged(undefined)} />
      )}
    </Panel>
  )
}

const fieldNames = ['limit']

function AllowanceDialog({
  accountId,
  allowance: { resource, limit, unit, isOwn },
  onClose,
}: {
  accountId: string
  allowance: Allowance
  onClose(): void
}) {
  const text = useText(messages)
  const resources = useText(resourceTexts)
  const [, setAllowance] = useMutation(allowanceDocument)
  const run = async (fields: FormData) => {
    const next = numberOf(fields, 'limit')
    const { error } = await setAllowance({ input: { accountId, resource, limit: next } })
    if (error) throw error
    notify(next === null ? text.limitRestored : text.limitChanged)
    onClose()
  }
  return (
    <FormDialog
      title={resourceText(resources, resource)}
      action={text.save}
      names={fieldNames}
      run={run}
      onClose={onClose}
    >
      {faults => (
        <TextField
          label={text.limitIn(unit)}
          hint={text.limitHint}
          name="limit"
          type="number"
          min={0}
          step={1}
          inputMode="numeric"
          autoComplete="off"
          defaultValue={isOwn ? limit : ''}
          placeholder={String(limit)}
          faults={faults}
        />
      )}
    </FormDialog>
  )
}
