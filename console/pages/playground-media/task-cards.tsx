import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { pageArguments } from '../../lists/address.ts'
import { CancelTask } from '../../tasks/cancel-task.tsx'
import { TaskResult } from '../../tasks/task-result.tsx'
import { TaskState } from '../../tasks/task-state.tsx'
import { useLiveTasks } from '../../tasks/use-live-tasks.ts'
import { useText } from '../../text/language.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState, Loaded } from '../../ui/states.tsx'
import { Money, Time } from '../../ui/values.tsx'
import { messages } from './messages.ts'
import type { MediaKind } from './route.ts'

/** Number of tasks that the page shows. All are on the page of tasks. */
const shownTasks = 6

/** The latest tasks of a kind, live, with their results. */
export function TaskCards({ kind }: { kind: Exclude<MediaKind, 'images'> }) {
  const text = useText(messages)
  const filter = useMemo(
    () => ({
      kinds: kind === 'videos' ? (['VIDEO'] as const).slice() : (['SPEECH', 'AUDIO'] as const).slice(),
    }),
    [kind],
  )
  const query = useLiveTasks({ ...pageArguments({}, shownTasks), filter })
  return (
    <Loaded query={query} select={data => data.tasks} lines={6}>
      {({ nodes }) =>
        nodes.length === 0 ? (
          <EmptyState icon="tasks" title={text.emptyTitle}>
            {text.empty[kind]}
          </EmptyState>
        ) : (
          <ul className="flex flex-col divide-y divide-line">
            {nodes.slice(0, shownTasks).map(task => (
              <li key={task.id} className="flex flex-col gap-3 px-5 py-4">
                <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <TaskState task={task} />
                  <span className="min-w-0 truncate font-medium">{task.modelName}</span>
                  <span className="text-sm text-muted">
                    <Time value={task.createdAt} /> · <Money amount={task.cost ?? task.price} isRounded />
                  </span>
                </div>
                <TaskResult task={task} />
                <div className="flex flex-wrap gap-2">
                  <CancelTask task={task} />
                  <Link to="/tasks" search={{ task: task.id }} className={buttonClass('secondary')}>
                    {text.details}
                  </Link>
                </div>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}
