import { useState } from 'react'
import { useMutation, useQuery } from 'urql'
import type { Faults } from '../../graph/faults.ts'
import { useText } from '../../text/language.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { notify } from '../../ui/toasts.tsx'
import { textOf } from '../../ui/use-form.ts'
import { LimitFields, limitFieldNames, limitInputOf } from './budget-fields.tsx'
import { type Budget, budgetsContext, createBudgetDocument, subjectsDocument } from './documents.ts'
import { messages } from './messages.ts'

type Kind = Budget['kind']

/** The fields that name the subject of each kind of budgets. */
const subjectFields: Record<Kind, readonly string[]> = {
  ACCOUNT: [],
  MEMBER: ['memberId'],
  API_KEY: ['apiKeyId'],
  TAG: ['tag.key', 'tag.value'],
  END_USER: ['endUser'],
}

export function CreateBudgetDialog({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const [kind, setKind] = useState<Kind>('ACCOUNT')
  const [, create] = useMutation(createBudgetDocument)
  const run = async (fields: FormData) => {
    const input = { ...subjectOf(kind, fields), ...limitInputOf(fields) }
    const { data, error } = await create({ input }, budgetsContext)
    if (!data?.createBudget) throw error
    notify(text.created)
    onClose()
  }
  return (
    <FormDialog
      title={text.createTitle}
      action={text.create}
      names={[...limitFieldNames, ...subjectFields[kind]]}
      run={run}
      onClose={onClose}
    >
      {faults => (
        <>
          <SelectField
            label={text.subject}
            name="kind"
            value={kind}
            options={Object.entries(text.kinds)}
            onChange={({ target }) => setKind(target.value as Kind)}
          />
          <SubjectFields kind={kind} faults={faults} />
          <LimitFields faults={faults} />
        </>
      )}
    </FormDialog>
  )
}

/** The fields that name the member, the key, the tag or the end user. */
function SubjectFields({ kind, faults }: { kind: Kind; faults: Faults | undefined }) {
  const text = useText(messages)
  const [{ data }] = useQuery({ query: subjectsDocument })
  const input = { autoComplete: 'off', required: true, faults }
  switch (kind) {
    case 'ACCOUNT':
      return null
    case 'MEMBER':
      return (
        <SelectField
          label={text.member}
          name="memberId"
          options={(data?.members?.nodes ?? []).map(({ id, email }) => [id, email])}
          faults={faults}
        />
      )
    case 'API_KEY':
      return (
        <SelectField
          label={text.key}
          name="apiKeyId"
          options={(data?.apiKeys?.nodes ?? []).map(({ id, name }) => [id, name])}
          faults={faults}
        />
      )
    case 'TAG':
      return (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label={text.tagKey} name="tag.key" maxLength={64} {...input} />
          <TextField label={text.tagValue} name="tag.value" maxLength={512} {...input} />
        </div>
      )
    case 'END_USER':
      return <TextField label={text.endUser} name="endUser" maxLength={512} {...input} />
  }
}

function subjectOf(kind: Kind, fields: FormData) {
  const field = (name: string) => textOf(fields, name) ?? ''
  switch (kind) {
    case 'ACCOUNT':
      return { account: true }
    case 'MEMBER':
      return { memberId: field('memberId') }
    case 'API_KEY':
      return { apiKeyId: field('apiKeyId') }
    case 'TAG':
      return { tag: { key: field('tag.key'), value: field('tag.value') } }
    case 'END_USER':
      return { endUser: field('endUser') }
  }
}
