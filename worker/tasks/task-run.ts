import { hmacOfCacheParts } from '../../domain/inference/cache-token.ts'
import type { MediaModelRecord } from '../../domain/models/find-media-model.ts'
import { finishTask, type TaskEnd } from '../../domain/tasks/finish-task.ts'
import { changeTask, type TaskChange, type TaskInProgress } from '../../domain/tasks/task-steps.ts'
import { Problem } from '../../schema/errors.ts'
import { Cancellation } from '../../upstreams/http/cancellation.ts'
import type { MediaCall, UpstreamTask } from '../../upstreams/media-adapter.ts'
import { problemOf, type UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { TaskServices } from './task-services.ts'

/** One step of one task, under its lock. */
export interface TaskRun extends MediaModelRecord {
  services: TaskServices
  /** The task at the beginning of the step. */
  task: TaskInProgress
  call: MediaCall
  /** Cancelled when the worker must end. Work that can be repeated later is aborted. */
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
export function change({ services, task }: TaskRun, to: TaskChange): Promise<boolean> {
  return changeTask(services.context, task, to)
}

/** Ends the task. */
export async function finish({ services, task }: TaskRun, end: TaskEnd): Promise<void> {
  const { kind, model, vendor } = task
  if (await finishTask(services.context, task, { end }))
    services.ended.of(kind, model, vendor, end.status).value += 1
}

/** Ends the task as failed, with the vendor's reason. */
export function finishFailed(run: TaskRun, failure: UpstreamFailure): Promise<void> {
  const { code, message } = problemOf(failure)
  return finish(run, { status: 'failed', code, message })
}

/** Delay before a failed step is retried, in milliseconds: of the first retry, which doubles with each failure, and at most. */
const minRetryMs = 500
const maxRetryMs = 60_000

/**
 * Retries the task later, with a delay that grows with each failure and respects the vendor's Retry-After. `isSending` is
 * whether the vendor may have the task already.
 */
export async function tryLater(
  run: TaskRun,
  reason: UpstreamFailure | Error,
  { isSending = false } = {},
): Promise<void> {
  const { task, stopping, services } = run
  if (stopping.isCancelled) return void (await change(run, { isSending, nextMs: 0 }))
  const { failures } = task
  services.context.log.warn(
    { taskId: task.id, failures: failures + 1, error: reason.message, kind: kindOf(reason) },
    'a step of a task is retried later',
  )
  const retryMs = Math.min(minRetryMs * 2 ** Math.min(failures, 20), maxRetryMs)
  await change(run, {
    isSending,
    failures: failures + 1,
    nextMs: jittered(Math.max(retryMs, retryAfterMs(reason))),
  })
}

function retryAfterMs(reason: Error): number {
  const details = 'details' in reason ? reason.details : undefined
  const seconds =
    details && typeof details === 'object' && 'retryAfterSeconds' in details ? details.retryAfterSeconds : 0
  return typeof seconds === 'number' ? Math.min(seconds * 1000, 10 * maxRetryMs) : 0
}

function kindOf(reason: Error): unknown {
  return 'kind' in reason ? reason.kind : undefined
}

/** Returns the delay, varied by up to a fifth, so that tasks do not run in lockstep. */
export function jittered(ms: number): number {
  return ms * (0.8 + 0.4 * Math.random())
}

/** The vendor's identifiers in the task's row. Throws `internal` if there are none. */
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
