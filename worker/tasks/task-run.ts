import { hmacOfCacheParts } from '../../domain/inference/cache-token.ts'
import type { MediaModelRecord } from '../../domain/models/find-media-model.ts'
import { advanceTask, type TaskChange, type TaskInProgress } from '../../domain/tasks/advance-task.ts'
import { finishTask, type TaskEnd } from '../../domain/tasks/finish-task.ts'
import { Problem } from '../../schema/errors.ts'
import { Cancellation } from '../../upstreams/http/cancellation.ts'
import type { MediaCall, UpstreamTask } from '../../upstreams/media-adapter.ts'
import { problemOf, type UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { TaskServices } from './task-services.ts'

/** One step of one task, under its lock. */
export interface TaskRun extends MediaModelRecord {
  services: TaskServices
  /** As it was read at the beginning of the step. */
  task: TaskInProgress
  call: MediaCall
  /** Cancelled when the worker must end: what can be done again later is broken off. */
  stopping: Cancellation
}

/** Begins a step. */
export function openRun(
  services: TaskServices,
  task: TaskInProgress,
  model: MediaModelRecord,
  signal: AbortSignal,
): TaskRun {
  const { config } = services.context
  const stopping = new Cancellation()
  if (signal.aborted) stopping.cancel()
  else signal.addEventListener('abort', () => stopping.cancel(), { once: true })
  const cacheToken = hmacOfCacheParts(config.keyPepper, JSON.stringify([task.accountId, '', '']))
  return {
    ...model,
    services,
    task,
    stopping,
    call: { entry: model.entry, parameters: task.parameters, cacheToken },
  }
}

/** Changes the task. */
export function advance({ services, task }: TaskRun, change: TaskChange): Promise<boolean> {
  return advanceTask(services.context, task, change)
}

/** Ends the task. */
export async function finish({ services, task }: TaskRun, end: TaskEnd): Promise<void> {
  await finishTask(services.context, task, { end })
}

/** Ends the task as failed, for the reason that a vendor gave. */
export function finishFailed(run: TaskRun, failure: UpstreamFailure): Promise<void> {
  const { code, message } = problemOf(failure)
  return finish(run, { status: 'failed', code, message })
}

/** A task that failed to be brought further is tried again after so long at first, in milliseconds, and at most. */
const firstRestMs = 500
const longestRestMs = 60_000

/**
 * Leaves the task as it is, to be tried again: later each time, and no earlier than the vendor says. With `isSending` its
 * vendor may have it already.
 */
export async function tryLater(
  run: TaskRun,
  reason: UpstreamFailure | Error,
  { isSending = false } = {},
): Promise<void> {
  const { task, stopping, services } = run
  if (stopping.isCancelled) return void (await advance(run, { isSending, nextMs: 0 }))
  const { failures } = task
  services.context.log.warn(
    { taskId: task.id, failures: failures + 1, error: reason.message, kind: kindOf(reason) },
    'a task is tried again later',
  )
  const restMs = Math.min(firstRestMs * 2 ** Math.min(failures, 20), longestRestMs)
  await advance(run, {
    isSending,
    failures: failures + 1,
    nextMs: jittered(Math.max(restMs, askedMs(reason))),
  })
}

function askedMs(reason: Error): number {
  const details = 'details' in reason ? reason.details : undefined
  const seconds =
    details && typeof details === 'object' && 'retryAfterSeconds' in details ? details.retryAfterSeconds : 0
  return typeof seconds === 'number' ? Math.min(seconds * 1000, 10 * longestRestMs) : 0
}

function kindOf(reason: Error): unknown {
  return 'kind' in reason ? reason.kind : undefined
}

/** The same, up to a fifth more or less, so that tasks do not keep step. */
export function jittered(ms: number): number {
  return ms * (0.8 + 0.4 * Math.random())
}

/** What the row says of a vendor's task. Throws `internal` where it is none. */
export function upstreamOf({ task }: TaskRun): UpstreamTask {
  const { upstream } = task
  if (
    typeof upstream === 'object' &&
    upstream !== null &&
    'id' in upstream &&
    typeof upstream.id === 'string'
  )
    return { ...upstream, id: upstream.id }
  throw new Problem('internal', { internal: `the task ${task.id} has no upstream id` })
}
