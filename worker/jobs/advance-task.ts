import type { TaskName } from '../../domain/tasks/task.ts'
import type { Job } from './worker-services.ts'

/** Begins a step of a task, and does not wait for its end. */
export const advanceTask: Job<TaskName> = {
  name: 'advance-task',
  run: ({ tasks }, name) => tasks.steps.begin(name),
}
