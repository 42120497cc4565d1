import { dollars } from '../../platform/money.ts'
import { hasEnded, type Task, type TaskKind } from './task.ts'

/** A task in the format of `/v1` and of callbacks. */
export interface PresentedTask {
  id: string
  object: string
  status: 'pending' | 'success' | 'failed'
  model: string
  /** Seconds since 1970. */
  created: number
  /** The charge, in US dollars. Missing until the task has ended. */
  cost?: number
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
    'id' | 'kind' | 'status' | 'model' | 'createdAt' | 'costNanos' | 'results' | 'errorCode' | 'errorMessage'
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
  if (status === 'pending') return presented
  const ended = { ...presented, cost: dollars(task.costNanos ?? 0n) }
  if (status === 'success') return { ...ended, data: (results ?? []).map(({ url }) => ({ url })) }
  return {
    ...ended,
    error: { code: errorCode ?? 'failed', message: errorMessage ?? 'The generation failed.' },
  }
}
