import { useMemo } from 'react'
import { useQuery, useSubscription } from 'urql'
import type { VariablesOf } from '../graph/documents.ts'
import { type Task, tasksDocument, tasksUpdatedDocument } from './documents.ts'

type TasksVariables = VariablesOf<typeof tasksDocument>

/** Maximum number of changed tasks that a page remembers. A new one replaces the oldest. */
const maxChanges = 500

/**
 * Reads a page of tasks and keeps it current: changes arrive over a subscription, and new tasks appear at the top of the
 * first page. The result is one for `Loaded`.
 */
export function useLiveTasks(variables: TasksVariables) {
  const [state, execute] = useQuery({ query: tasksDocument, variables })
  const { filter } = variables
  const [{ data: changes }] = useSubscription(
    { query: tasksUpdatedDocument, variables: { filter: filter ?? null } },
    (before: ReadonlyMap<string, Task> = new Map(), { tasksUpdated }) => remember(before, tasksUpdated),
  )
  const page = state.data?.tasks
  const isFirstPage = !variables.after && !variables.before
  const nodes = useMemo(
    () => page && current(page.nodes, { changes, isFirstPage }),
    [page, changes, isFirstPage],
  )
  const data = page && nodes ? { tasks: { ...page, nodes } } : state.data
  return [{ ...state, data }, execute] as const
}

function remember(before: ReadonlyMap<string, Task>, task: Task): ReadonlyMap<string, Task> {
  const next = new Map(before)
  next.delete(task.id)
  next.set(task.id, task)
  const [oldest] = next.keys()
  if (next.size > maxChanges && oldest !== undefined) next.delete(oldest)
  return next
}

/** The tasks of a page in their latest state, after the new ones. */
function current(
  nodes: readonly Task[],
  { changes, isFirstPage }: { changes: ReadonlyMap<string, Task> | undefined; isFirstPage: boolean },
): Task[] {
  if (!changes) return [...nodes]
  const listed = new Set(nodes.map(({ id }) => id))
  const newest = nodes[0]?.id ?? ''
  const added = [...changes.values()].filter(({ id }) => !listed.has(id) && id > newest)
  const latest = nodes.map(node => later(node, changes.get(node.id)))
  return [...(isFirstPage ? added.sort((one, other) => (one.id < other.id ? 1 : -1)) : []), ...latest]
}

/** A query that was repeated can be newer than a change. */
function later(node: Task, change: Task | undefined): Task {
  return change && change.updatedAt >= node.updatedAt ? change : node
}
