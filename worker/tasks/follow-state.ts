import { cancelledEnd } from '../../domain/tasks/cancel-task.ts'
import type { MediaFile, MediaState } from '../../upstreams/media-adapter.ts'
import type { Target } from '../../upstreams/targets.ts'
import { storeMade } from './store-files.ts'
import { change, finish, jittered, type TaskRun } from './task-run.ts'

/**
 * Acts on the state that a vendor reports: schedules the next poll, stores the files, or fails the task. Files within the
 * response itself are stored at once, because they cannot be requested again.
 */
export async function followState(
  run: TaskRun,
  { target, state }: { target: Target; state: MediaState },
): Promise<void> {
  if (state.status === 'failed') {
    const { code, message } = state
    const isWanted = code === 'cancelled' && run.task.isCancelRequested
    return finish(run, isWanted ? cancelledEnd : { status: 'failed', code, message })
  }
  if (state.status === 'running') {
    const { upstream, progress } = state
    const nextMs = jittered(state.pollAfterMs ?? pauseMs(run))
    await change(run, { status: 'running', upstream, progress: forward(run, progress), failures: 0, nextMs })
    return
  }
  if (state.files.every(isPlain)) {
    const isOpen = await change(run, { status: 'storing', files: state.files, progress: 100, failures: 0 })
    if (!isOpen) return
  }
  return storeMade(run, { target, files: state.files })
}

/** Whether the file can be requested again, by its URL or path. */
function isPlain(file: MediaFile): boolean {
  return !('content' in file)
}

/** Returns the progress if it has increased. */
function forward({ task }: TaskRun, progress: number | undefined): number | undefined {
  return progress !== undefined && progress > (task.progress ?? -1) ? progress : undefined
}

/** Maximum delay of a poll: a share of the time that the generation has taken so far, and an absolute limit. */
const latePart = 1 / 20
const longestPauseMs = 30_000

function pauseMs({ task, entry, services }: TaskRun): number {
  const { poll_ms: minMs } = entry.generation
  const takenMs = services.context.clock.now() - task.createdAt.getTime()
  return Math.max(minMs, Math.min(takenMs * latePart, longestPauseMs))
}
