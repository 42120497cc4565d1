import { cancelledEnd } from '../../domain/tasks/cancel-task.ts'
import type { MediaFile, MediaState } from '../../upstreams/media-adapter.ts'
import type { Target } from '../../upstreams/targets.ts'
import { storeMade } from './store-files.ts'
import { advance, finish, jittered, type TaskRun } from './task-run.ts'

/**
 * Does what a vendor's word on a task asks for: ask again later, store what was made, or end as failed. What comes
 * within the answer itself is stored at once, as it cannot be had again.
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
    await advance(run, { status: 'running', upstream, progress: forward(run, progress), failures: 0, nextMs })
    return
  }
  if (state.files.every(isPlain)) {
    const isOpen = await advance(run, { status: 'storing', files: state.files, progress: 100, failures: 0 })
    if (!isOpen) return
  }
  return storeMade(run, { target, files: state.files })
}

/** Whether a file can be had again by what is known of it. */
function isPlain(file: MediaFile): boolean {
  return !('content' in file)
}

/** Progress is told where it has changed, and never goes back. */
function forward({ task }: TaskRun, progress: number | undefined): number | undefined {
  return progress !== undefined && progress > (task.progress ?? -1) ? progress : undefined
}

/** A poll comes at most a twentieth of the time late that the generation has taken, and so late at most. */
const latePart = 1 / 20
const longestPauseMs = 30_000

function pauseMs({ task, entry, services }: TaskRun): number {
  const { poll_ms: minMs } = entry.generation
  const takenMs = services.context.clock.now() - task.createdAt.getTime()
  return Math.max(minMs, Math.min(takenMs * latePart, longestPauseMs))
}
