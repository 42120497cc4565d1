import type { TaskName } from '../../domain/tasks/task.ts'
import { advance } from '../tasks/advance.ts'
import type { Job } from './worker-services.ts'

/** Brings a task one step further. */
export const advanceTask: Job<TaskName> = {
  name: 'advance-task',
  run: ({ tasks }, name, { signal }) => advance(tasks, name, signal),
}
