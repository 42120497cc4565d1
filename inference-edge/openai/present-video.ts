import type OpenAI from 'openai'
import { hasEnded, type Task } from '../../domain/tasks/task.ts'
import { dollars } from '../../platform/money.ts'
import { pixelsOf } from './read-video-request.ts'

/** A video in the type of the official SDK, so that the compiler checks our shape against it. Models have other sizes. */
export type Video = Omit<OpenAI.Videos.Video, 'size'> & {
  size: string
  /** The charge, in US dollars; null until the video has ended. */
  cost: number | null
}

/** Presents a video task, and the parameters with which it was submitted, as OpenAI does. */
export function presentVideo(task: Task, parameters: Readonly<Record<string, unknown>> = {}): Video {
  const { id, model, createdAt, finishedAt, results, errorCode, errorMessage } = task
  const isFailed = task.status === 'failed' || task.status === 'cancelled'
  const expiresAt = results?.[0]?.expiresAt
  return {
    id,
    object: 'video',
    model,
    status: statusOf(task),
    progress: task.status === 'success' ? 100 : (task.progress ?? 0),
    created_at: secondsOf(createdAt),
    completed_at: task.status === 'success' && finishedAt ? secondsOf(finishedAt) : null,
    expires_at: expiresAt ? secondsOf(new Date(expiresAt)) : null,
    error: isFailed
      ? { code: errorCode ?? 'failed', message: errorMessage ?? 'The generation failed.' }
      : null,
    prompt: typeof parameters.prompt === 'string' ? parameters.prompt : null,
    remixed_from_video_id: null,
    seconds: parameters.duration == null ? '' : String(parameters.duration),
    size: sizeOf(parameters),
    cost: hasEnded(task) ? dollars(task.costNanos ?? 0n) : null,
  }
}

function statusOf(task: Task): Video['status'] {
  if (task.status === 'success') return 'completed'
  if (hasEnded(task)) return 'failed'
  return task.status === 'running' || task.status === 'storing' ? 'in_progress' : 'queued'
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1_000)
}

/** Returns the size in pixels from the parameters; empty if they do not state it. */
function sizeOf({ size, resolution, aspect_ratio: shape }: Readonly<Record<string, unknown>>): string {
  if (typeof size === 'string') return size.replace('*', 'x')
  const shorter = typeof resolution === 'string' ? pixelsOf(resolution) : Number.NaN
  const [width, height] = typeof shape === 'string' ? shape.split(':').map(Number) : []
  if (!width || !height || Number.isNaN(shorter)) return typeof resolution === 'string' ? resolution : ''
  const pixels = (side: number) => Math.round((shorter * side) / Math.min(width, height) / 2) * 2
  return `${pixels(width)}x${pixels(height)}`
}
