import { LatestStream } from '../../platform/watch/latest-stream.ts'
import { Problem } from '../../schema/errors.ts'
import type { Task } from './task.ts'

/** What one watcher is told: of each task its latest state. */
export type TaskStream = LatestStream<Task>

/** A watcher that leaves so many tasks unread is cut off. */
export const maxUnread = 10_000

/** Opens the stream of one watcher. `onClose` is called once, when it leaves or was told all. */
export function openTaskStream(
  onClose: () => void = () => {},
  isWanted: (task: Task) => boolean = () => true,
): TaskStream {
  const limit = { most: maxUnread, fault: tooSlow }
  return new LatestStream<Task>({ keyOf: ({ id }) => id, isWanted, limit, onClose })
}

function tooSlow(): Problem {
  const message = 'Too many changes were left unread: subscribe again, and read faster.'
  return new Problem('overloaded', { message, retryAfterSeconds: 1 })
}

/** What a watcher sees change. */
export function stateOf(task: Task): string {
  const { status, progress, updatedAt, cancelRequestedAt, cancelRefusedAt } = task
  return JSON.stringify([status, progress, updatedAt, cancelRequestedAt, cancelRefusedAt])
}
