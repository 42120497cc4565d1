import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useQuery } from 'urql'
import { atPage, pageArguments } from '../../lists/address.ts'
import { PagedList } from '../../lists/paged-list.tsx'
import { PermittedButton, Refusal, useRefusal } from '../../shell/permissions.tsx'
import { useText } from '../../text/language.ts'
import { Badge, Page, Panel } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { SpentOfLimit } from '../../ui/values.tsx'
import { BudgetDialog } from './budget-dialog.tsx'
import { CreateBudgetDialog } from './create-budget-dialog.tsx'
import { type Budget, budgetsContext, budgetsDocument } from './documents.ts'
import { messages } from './messages.ts'
import { Subject } from './subject.tsx'

const route = getRouteApi('/account/budgets')
const pageSize = 25

export default function BudgetsPage() {
  const text = useText(messages)
  const isRefused = useRefusal()('Query.budgets') !== undefined
  const { budget, ...place } = route.useSearch()
  const navigate = route.useNavigate()
  const [isCreating, setIsCreating] = useState(false)
  const query = useQuery({
    query: budgetsDocument,
    variables: pageArguments(place, pageSize),
    context: budgetsContext,
    pause: isRefused,
  })
  const columns = useColumns()
  const create = (
    <PermittedButton
      field="Mutation.createBudget"
      kind="primary"
      icon="plus"
      onClick={() => setIsCreating(true)}
    >
      {text.create}
    </PermittedButton>
  )
  return (
    <Page title={text.title} intro={text.intro} actions={create}>
      {isRefused ? (
        <Refusal field="Query.budgets" />
      ) : (
        <Panel>
          <PagedList
            query={query}
            select={data => data.budgets}
            lines={6}
            caption={text.title}
            columns={columns}
            keyOf={({ id }) => id}
            empty={
              <EmptyState icon="budget" title={text.emptyTitle} action={create}>
                {text.empty}
              </EmptyState>
            }
            onTurn={turned => void navigate({ search: atPage(turned) })}
          />
        </Panel>
      )}
      {isCreating && <CreateBudgetDialog onClose={() => setIsCreating(false)} />}
      {budget !== undefined && <BudgetDialog id={budget} onClose={() => void navigate({ search: place })} />}
    </Page>
  )
}

function useColumns(): Column<Budget>[] {
  const text = useText(messages)
  return [
    {
      id: 'subject',
      header: text.subject,
      cell: budget => (
        <Link
          from="/budgets"
          search={before => ({ ...before, budget: budget.id })}
          className="block font-medium wrap-anywhere hover:underline @md:max-w-80 @md:truncate"
        >
          <Subject budget={budget} />
        </Link>
      ),
    },
    {
      id: 'action',
      header: text.action,
      from: '2xl',
      cell: ({ action }) => (
        <Badge tone={action === 'REFUSE' ? 'warn' : 'neutral'}>{text.actions[action]}</Badge>
      ),
    },
    {
      id: 'interval',
      header: text.interval,
      from: '4xl',
      cell: ({ resetInterval }) => text.intervals[resetInterval],
    },
    {
      id: 'spent',
      header: text.spent,
      align: 'end',
      cell: ({ spent, limit }) => <SpentOfLimit spent={spent} limit={limit} label={text.spent} />,
    },
  ]
}
