import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { atPage, hasFilter, pageArguments } from '../../lists/address.ts'
import { PagedList } from '../../lists/paged-list.tsx'
import type { Task } from '../../tasks/documents.ts'
import { messages as taskMessages } from '../../tasks/messages.ts'
import { TaskState } from '../../tasks/task-state.tsx'
import { useLiveTasks } from '../../tasks/use-live-tasks.ts'
import { useText } from '../../text/language.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Money, Time } from '../../ui/values.tsx'
import { TaskFilters } from './filters.tsx'
import { messages } from './messages.ts'
import type { TasksSearch } from './search.ts'
import { TaskDialog } from './task-dialog.tsx'

const route = getRouteApi('/account/tasks')
const pageSize = 50

export default function TasksPage() {
  const text = useText(messages)
  const { task, ...shown } = route.useSearch()
  const navigate = route.useNavigate()
  const filter = useFilter(shown)
  const query = useLiveTasks({ ...pageArguments(shown, pageSize), filter })
  const columns = useColumns()
  return (
    <Page title={text.title} intro={text.intro}>
      <TaskFilters />
      <Panel>
        <PagedList
          query={query}
          select={data => data.tasks}
          lines={8}
          caption={text.title}
          columns={columns}
          keyOf={({ id }) => id}
          isFiltered={hasFilter(filter)}
          empty={<NoTasks />}
          onTurn={place => void navigate({ search: atPage(place) })}
        />
      </Panel>
      {task !== undefined && <TaskDialog id={task} onClose={() => void navigate({ search: shown })} />}
    </Page>
  )
}

function useFilter({ kind, status, model, key }: TasksSearch) {
  return useMemo(
    () => ({
      kinds: kind === undefined ? null : [kind],
      statuses: status === undefined ? null : [status],
      models: model === undefined ? null : [model],
      apiKeyIds: key === undefined ? null : [key],
    }),
    [kind, status, model, key],
  )
}

function NoTasks() {
  const text = useText(messages)
  return (
    <EmptyState
      icon="tasks"
      title={text.emptyTitle}
      action={
        <Link to="/playground/$kind" params={{ kind: 'videos' }} className={buttonClass('primary')}>
          {text.start}
        </Link>
      }
    >
      {text.empty}
    </EmptyState>
  )
}

function useColumns(): Column<Task>[] {
  const text = useText(messages)
  const { kinds } = useText(taskMessages)
  return [
    {
      id: 'created',
      header: text.created,
      cell: task => (
        <Link from="/tasks" search={before => ({ ...before, task: task.id })} className="hover:underline">
          <Time value={task.createdAt} />
          <span className="mt-0.5 block max-w-44 truncate text-sm text-muted @xl:hidden">
            {task.modelName}
          </span>
          <span className="mt-0.5 block @xl:hidden">
            <TaskState task={task} />
          </span>
        </Link>
      ),
    },
    { id: 'kind', header: text.kind, from: '2xl', cell: ({ kind }) => kinds[kind] },
    {
      id: 'model',
      header: text.model,
      from: 'xl',
      cell: ({ modelName }) => <span className="block max-w-64 truncate">{modelName}</span>,
    },
    { id: 'state', header: text.state, from: 'xl', cell: task => <TaskState task={task} /> },
    { id: 'key', header: text.key, from: '4xl', cell: ({ apiKey }) => apiKey?.name },
    {
      id: 'price',
      header: text.price,
      align: 'end',
      cell: ({ price, cost }) => <Money amount={cost ?? price} isRounded />,
    },
  ]
}
