import { useState } from 'react'
import { useMutation } from 'urql'
import { useFormat, useText } from '../../../text/language.ts'
import { TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { Badge, Panel } from '../../../ui/page.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { numberOf } from '../../../ui/use-form.ts'
import { type AccountDetail, type Allowance, allowanceDocument } from './documents.ts'
import { messages } from './messages.ts'

/** The units of windows, longest first. */
const windowUnits = [
  { size: 86_400, name: 'days' },
  { size: 3_600, name: 'hours' },
  { size: 60, name: 'minutes' },
] as const

/** The limits of an account. Each can be replaced for this account alone. */
export function Allowances({ account }: { account: AccountDetail }) {
  const text = useText(messages)
  const format = useFormat()
  const [changed, setChanged] = useState<string>()
  const windowText = (seconds: number) => {
    const unit = windowUnits.find(({ size }) => seconds % size === 0) ?? { size: 1, name: 'seconds' as const }
    return text.windows[unit.name](format.number(seconds / unit.size))
  }
  const allowance = account.allowances.find(({ resource }) => resource === changed)
  const columns: Column<Allowance>[] = [
    {
      id: 'resource',
      header: text.resource,
      cell: ({ resource, isOwn }) => (
        <button
          type="button"
          className="text-left font-mono text-sm hover:underline"
          onClick={() => setChanged(resource)}
        >
          {resource} {isOwn && <Badge tone="warn">{text.own}</Badge>}
        </button>
      ),
    },
    {
      id: 'limit',
      header: text.limit,
      align: 'end',
      cell: ({ limit, unit, windowSeconds }) => (
        <>
          {format.number(limit)} <span className="text-muted">{unit}</span>
          {windowSeconds !== null && (
            <span className="block text-xs text-muted">{windowText(windowSeconds)}</span>
          )}
        </>
      ),
    },
  ]
  return (
    <Panel title={text.allowances}>
      <p className="border-b border-line px-5 py-3 text-sm text-muted">{text.allowancesText}</p>
      <Table
        caption={text.allowances}
        columns={columns}
        rows={account.allowances}
        keyOf={({ resource }) => resource}
      />
      {allowance && (
        <AllowanceDialog accountId={account.id} allowance={allowance} onClose={() => setChanged(undefined)} />
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
  const [, setAllowance] = useMutation(allowanceDocument)
  const run = async (fields: FormData) => {
    const next = numberOf(fields, 'limit')
    const { error } = await setAllowance({ input: { accountId, resource, limit: next } })
    if (error) throw error
    notify(next === null ? text.limitRestored : text.limitChanged)
    onClose()
  }
  return (
    <FormDialog title={resource} action={text.save} names={fieldNames} run={run} onClose={onClose}>
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
