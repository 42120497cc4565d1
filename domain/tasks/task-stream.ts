import { LatestStream } from '../../platform/watch/latest-stream.ts'
import { Problem } from '../../schema/errors.ts'
import type { Task } from './task.ts'

/** The updates for one watcher: the latest state of each task. */
export type TaskStream = LatestStream<Task>

/** Maximum number of unread tasks. A watcher with more is disconnected. */
export const maxUnread = 10_000

/**
 * Opens the stream of one watcher. `onClose` is called once, when the watcher leaves or has received the last update.
 */
export function openTaskStream(
  onClose: () => void = () => {},
  isWanted: (task: Task) => boolean = () => true,
): TaskStream {
  const limit = { max: maxUnread, fault: tooSlow }
  return new LatestStream<Task>({ keyOf: ({ id }) => id, isWanted, limit, onClose })
}

function tooSlow(): Problem {
  const message = 'Too many unread changes. Subscribe again and read faster.'
  return new Problem('overloaded', { message, retryAfterSeconds: 1 })
}

/** Returns the part of a task whose changes watchers receive. */
export function stateOf(task: Task): string {
  const { status, progress, updatedAt, cancelRequestedAt, cancelRefusedAt } = task
  return JSON.stringify([status, progress, updatedAt, cancelRequestedAt, cancelRefusedAt])
}
