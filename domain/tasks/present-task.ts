import { hasEnded, type Task, type TaskKind } from './task.ts'

/** A task in the format of `/v1` and of callbacks. */
export interface PresentedTask {
  id: string
  object: string
  status: 'pending' | 'success' | 'failed'
  model: string
  /** Seconds since 1970. */
  created: number
  data?: { url: string }[]
  error?: { code: string; message: string }
}

const objects: Record<TaskKind, string> = {
  video: 'video.generation',
  speech: 'audio.speech',
  audio: 'audio.generation',
}

/**
 * Returns the body of a submit, a poll and a callback. A cancelled task is presented as failed with the code
 * `cancelled`.
 */
export function presentTask(
  task: Pick<
    Task,
    'id' | 'kind' | 'status' | 'model' | 'createdAt' | 'results' | 'errorCode' | 'errorMessage'
  >,
): PresentedTask {
  const { id, kind, model, createdAt, results, errorCode, errorMessage } = task
  const status = !hasEnded(task) ? 'pending' : task.status === 'success' ? 'success' : 'failed'
  const presented = {
    id,
    object: objects[kind],
    status,
    model,
    created: Math.floor(createdAt.getTime() / 1000),
  } as const
  if (status === 'success') return { ...presented, data: (results ?? []).map(({ url }) => ({ url })) }
  if (status === 'pending') return presented
  return {
    ...presented,
    error: { code: errorCode ?? 'failed', message: errorMessage ?? 'The generation failed.' },
  }
}
