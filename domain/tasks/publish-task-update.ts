import type { Context } from '../context.ts'
import type { TaskName } from './task.ts'

/** The topic on which changes of an account's tasks are told; a message is `{ id }`. */
export function taskTopic(accountId: string): string {
  return `tasks:${accountId}`
}

/** Tells those who watch that a task has changed, after it was committed: a hint, which may be lost. Does not throw. */
export function publishTaskUpdate({ news }: Pick<Context, 'news'>, { accountId, id }: TaskName): void {
  void news.publish(taskTopic(accountId), { id })
}
