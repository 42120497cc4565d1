import { cancelledEnd } from '../../domain/tasks/cancel-task.ts'
import { asProblem, Problem } from '../../schema/errors.ts'
import { cancelMedia, pollMedia } from '../../upstreams/call/call-media.ts'
import type { Target } from '../../upstreams/targets.ts'
import { UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import { boundTarget } from './find-targets.ts'
import { followState } from './follow-state.ts'
import { credentialDeleted, isOver, timedOut } from './task-ends.ts'
import { change, finish, type TaskRun, tryLater, upstreamOf } from './task-run.ts'

/**
 * Polls the vendor with the credential that submitted the task. Outages are retried until the model's time limit. After
 * it, the vendor is polled once more, asked to cancel if it can, and the task ends.
 */
export async function pollUpstream(run: TaskRun): Promise<void> {
  const { task, services, call, stopping } = run
  try {
    const target = await boundTarget(run)
    if (task.isCancelRequested && (await cancelUpstream(run, target))) return
    const known = { call, target, accountId: task.accountId, upstream: upstreamOf(run) }
    const state = await pollMedia(services.upstreams, { ...known, cancellation: stopping.fork() })
    if (state.status === 'running' && isOver(run)) {
      await cancelMedia(services.upstreams, { ...known, cancellation: stopping.fork() }).catch(() => false)
      return finish(run, timedOut)
    }
    return await followState(run, { target, state })
  } catch (error) {
    if (isOver(run) && error instanceof UpstreamFailure && error.kind !== 'aborted')
      return finish(run, timedOut)
    if (error instanceof UpstreamFailure) return tryLater(run, error)
    if (!(error instanceof Problem)) throw error
    return endOrTryLater(run, error)
  }
}

/** Ends the task if its credential was deleted; retries later after any other problem. */
function endOrTryLater(run: TaskRun, problem: Problem): Promise<void> {
  if (problem.errorName === 'credential_not_found') return finish(run, credentialDeleted)
  return isOver(run) ? finish(run, timedOut) : tryLater(run, problem)
}

/** Asks the vendor to cancel. Resolves to whether the task has ended by that. */
async function cancelUpstream(run: TaskRun, target: Target): Promise<boolean> {
  const { services, task, call, stopping } = run
  const isCancelled = await cancelMedia(services.upstreams, {
    call,
    target,
    accountId: task.accountId,
    upstream: upstreamOf(run),
    cancellation: stopping.fork(),
  }).catch(error => {
    services.context.log.warn(
      { taskId: task.id, error: asProblem(error).message },
      'a task was not cancelled',
    )
    return false
  })
  if (isCancelled) await finish(run, cancelledEnd)
  else await change(run, { refusesCancel: true })
  return isCancelled
}
