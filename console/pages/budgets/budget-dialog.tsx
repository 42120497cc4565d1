import { useState } from 'react'
import { useMutation, useQuery } from 'urql'
import { PermittedButton, PermittedFields, Refusal } from '../../shell/permissions.tsx'
import { useText } from '../../text/language.ts'
import { ConfirmDialog } from '../../ui/confirm.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { FormFault } from '../../ui/field.tsx'
import { Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { useForm } from '../../ui/use-form.ts'
import { type DetailRow, Details, Money, Time } from '../../ui/values.tsx'
import { LimitFields, limitFieldNames, limitInputOf } from './budget-fields.tsx'
import {
  type Budget,
  budgetDocument,
  budgetsContext,
  deleteBudgetDocument,
  updateBudgetDocument,
} from './documents.ts'
import { messages } from './messages.ts'
import { Subject } from './subject.tsx'

/** The panel of one budget: what it counted, and its limit. */
export function BudgetDialog({ id, onClose }: { id: string; onClose(): void }) {
  const text = useText(messages)
  const query = useQuery({ query: budgetDocument, variables: { id } })
  return (
    <Dialog side title={text.budget} onClose={onClose}>
      <Loaded query={query} select={found => found.budget} lines={8} missing={text.missing}>
        {budget => <BudgetSettings budget={budget} onClose={onClose} />}
      </Loaded>
    </Dialog>
  )
}

function BudgetSettings({ budget, onClose }: { budget: Budget; onClose(): void }) {
  const text = useText(messages)
  const [isEnding, setIsEnding] = useState(false)
  const [, update] = useMutation(updateBudgetDocument)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const { data, error } = await update({ input: { id: budget.id, ...limitInputOf(fields) } })
    if (!data?.updateBudget) throw error
    notify(text.saved)
    onClose()
  })
  const rows: DetailRow[] = [
    [text.subject, <Subject key="subject" budget={budget} />],
    [text.spent, <Money key="spent" amount={budget.spent} />],
    [text.held, <Money key="held" amount={budget.held} />],
    [text.since, <Time key="since" value={budget.periodStart} />],
    [text.createdAt, <Time key="created" value={budget.createdAt} />],
  ]
  return (
    <div className="flex flex-col gap-5">
      <CopyText value={budget.id} />
      <Details rows={rows} />
      <form {...formProps} className="flex flex-col gap-4">
        <Refusal field="Mutation.updateBudget" />
        <FormFault faults={faults} names={limitFieldNames} />
        <PermittedFields field="Mutation.updateBudget">
          <LimitFields budget={budget} faults={faults} />
        </PermittedFields>
        <DialogActions>
          <PermittedButton field="Mutation.deleteBudget" kind="danger" onClick={() => setIsEnding(true)}>
            {text.end}
          </PermittedButton>
          <PermittedButton field="Mutation.updateBudget" type="submit" kind="primary" isBusy={isBusy}>
            {text.save}
          </PermittedButton>
        </DialogActions>
      </form>
      {isEnding && <EndBudget id={budget.id} onClose={() => setIsEnding(false)} onEnded={onClose} />}
    </div>
  )
}

function EndBudget({ id, onClose, onEnded }: { id: string; onClose(): void; onEnded(): void }) {
  const text = useText(messages)
  const [, end] = useMutation(deleteBudgetDocument)
  const run = async () => {
    const { data, error } = await end({ input: { id } }, budgetsContext) // Its result has the ID only.
    if (!data?.deleteBudget) throw error
    notify(text.ended)
    onEnded()
  }
  return (
    <ConfirmDialog title={text.endTitle} action={text.end} run={run} onClose={onClose}>
      <p>{text.endText}</p>
    </ConfirmDialog>
  )
}
