import { type PagePlace, pagePlaceOf } from '../../lists/address.ts'

/** The kinds and statuses by which tasks are filtered. */
export const kinds = ['VIDEO', 'SPEECH', 'AUDIO'] as const
export const statuses = ['PENDING', 'SUCCESS', 'FAILED'] as const

/** The state of the page, in its address: filters, the page of the list, and the task whose panel is open. */
export interface TasksSearch extends PagePlace {
  kind?: (typeof kinds)[number] | undefined
  status?: (typeof statuses)[number] | undefined
  model?: string | undefined
  key?: string | undefined
  task?: string | undefined
}

/** Reads the state from the parameters of the address. Invalid values become `undefined`. */
export function tasksSearchOf(search: Record<string, unknown>): TasksSearch {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return {
    ...pagePlaceOf(search),
    kind: kinds.find(name => name === search.kind),
    status: statuses.find(name => name === search.status),
    model: text(search.model),
    key: text(search.key),
    task: text(search.task),
  }
}
