import type { Context } from '../context.ts'
import type { TaskName } from './task.ts'

/** Returns the topic for changes of an account's tasks. A message is `{ id }`. */
export function taskTopic(accountId: string): string {
  return `tasks:${accountId}`
}

/** Publishes a change of a task after its commit. The message is a hint and can be lost. Never throws. */
export function publishTaskUpdate({ news }: Pick<Context, 'news'>, { accountId, id }: TaskName): void {
  void news.publish(taskTopic(accountId), { id })
}
