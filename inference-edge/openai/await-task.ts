import { hasEnded, type Task, type TaskName } from '../../domain/tasks/task.ts'
import type { TaskStream } from '../../domain/tasks/task-stream.ts'
import { isErrorName, Problem } from '../../schema/errors.ts'
import type { Edge } from '../edge.ts'

/** Maximum wait for a task within one request, in milliseconds. OpenAI's clients time out after the same time. */
const maxWaitMs = 600_000

/**
 * Waits until a task has ended with success. Resolves to undefined if `left` is aborted first. Throws `task_pending` if
 * the wait takes too long, and the error with which the task has failed.
 */
export async function awaitTask(
  edge: Pick<Edge, 'taskWatch'>,
  name: TaskName,
  left: AbortSignal,
): Promise<Task | undefined> {
  const tooLong = AbortSignal.timeout(maxWaitMs)
  const task = await untilEnded(edge, name, AbortSignal.any([left, tooLong])).catch(cause => {
    throw pending(name, cause)
  })
  if (left.aborted) return undefined
  if (!task) throw pending(name)
  if (task.status !== 'success') throw problemOf(task)
  return task
}

/**
 * Returns the error of a wait that takes too long. SDKs must not retry, because that would submit and charge another
 * task.
 */
function pending({ id }: TaskName, cause?: unknown): Problem {
  const message = `The task takes longer than this request can wait. It continues, and is charged if it succeeds. Poll GET /v1/audio/speech/${id}.`
  return new Problem('task_pending', { message, shouldRetry: false, cause })
}

async function untilEnded(
  { taskWatch }: Pick<Edge, 'taskWatch'>,
  name: TaskName,
  stop: AbortSignal,
): Promise<Task | undefined> {
  const stopped = Promise.withResolvers<undefined>()
  const watching = taskWatch.task(name)
  let states: TaskStream | undefined
  const abort = () => {
    stopped.resolve(undefined)
    watching.then(watched => watched?.states.return()).catch(() => {}) // its reader handles the error
  }
  stop.addEventListener('abort', abort, { once: true })
  if (stop.aborted) abort()
  try {
    states = (await Promise.race([watching, stopped.promise]))?.states
    if (!states) return undefined
    for await (const task of states) if (hasEnded(task)) return task
    return undefined
  } finally {
    stop.removeEventListener('abort', abort)
    await states?.return()
  }
}

/** Returns the error of a failed task. Nothing was charged. */
function problemOf({ errorCode, errorMessage }: Task): Problem {
  const code = errorCode ?? 'failed'
  const name = isErrorName(code) ? code : code === 'timed_out' ? 'upstream_timeout' : 'upstream_error'
  return new Problem(name, { code, message: errorMessage ?? undefined, shouldRetry: false })
}
