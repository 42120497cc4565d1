import { callStartsWithinMs } from '../../domain/keys/key-revision.ts'
import { readTaskInProgress } from '../../domain/tasks/task-steps.ts'
import { asProblem, type Problem } from '../../schema/errors.ts'
import { recordOutcome } from '../../upstreams/attempts.ts'
import { submitMedia } from '../../upstreams/call/call-media.ts'
import { answersAtOnce } from '../../upstreams/call/media-adapters.ts'
import { Cancellation } from '../../upstreams/http/cancellation.ts'
import type { MediaState } from '../../upstreams/media-adapter.ts'
import { noCredential } from '../../upstreams/try-in-order.ts'
import { UpstreamFailure } from '../../upstreams/upstream-failure.ts'
import { listAttempts, type TaskAttempt } from './find-targets.ts'
import { followState } from './follow-state.ts'
import { interrupted, isOver, timedOut, withdrawn } from './task-ends.ts'
import { change, finish, finishFailed, type TaskRun, tryLater } from './task-run.ts'

/** Maximum number of repeats of a submit with unknown outcome, at a vendor without idempotency keys. */
const maxRepeats = 3

/**
 * Submits a task to its vendor, credential by credential, with the task's ID as idempotency key. Each call is recorded
 * before it begins. If the vendor is unavailable or busy, the submit is retried later; if it refuses the request, the
 * task fails. If the vendor may have begun and has no idempotency keys, the submit is not repeated, unless the vendor
 * responds with the result itself: then it keeps nothing of an earlier call.
 */
export async function submitUpstream(run: TaskRun): Promise<void> {
  const { task } = run
  if (task.withdrawal) return finish(run, withdrawn[task.withdrawal])
  if (isOver(run)) return finish(run, timedOut)
  if (task.isSending && !mayRepeat(run)) return finish(run, interrupted)
  try {
    const failure = await submitInOrder(run, await listAttempts(run))
    if (!failure) return
    const { kind } = failure
    return await (kind === 'request' || kind === 'auth' ? finishFailed(run, failure) : tryLater(run, failure))
  } catch (error) {
    if (error instanceof TaskEnded) return
    if (error instanceof Withdrawn) return await finish(run, withdrawn[error.reason])
    if (error instanceof MayHaveBegun) return await repeatLater(run, error.failure)
    return await endOrTryLater(run, asProblem(error))
  }
}

/** Makes one attempt after another. Resolves to the last failure; to undefined if a vendor has accepted the task. */
async function submitInOrder(
  run: TaskRun,
  attempts: readonly TaskAttempt[],
): Promise<UpstreamFailure | undefined> {
  let last = noCredential()
  for (const [index, attempt] of attempts.entries()) {
    const outcome = await submitWith(run, attempt).catch(error => {
      if (error instanceof UpstreamFailure && error.kind !== 'aborted') return error
      throw error
    })
    if (!(outcome instanceof UpstreamFailure)) {
      await followState(run, { target: attempt.target, state: outcome })
      return undefined
    }
    last = outcome
    // Another credential must not begin what this one's vendor may have begun before.
    const mayBeThere = index === 0 && run.task.isSending && !answersAtOnce(run.entry)
    if (mayBeThere && isTransient(outcome)) throw new MayHaveBegun(outcome)
    if (outcome.kind === 'request' && !attempt.own) break
  }
  return last
}

/** Submits with one credential. Throws UpstreamFailure, and MayHaveBegun if the vendor may have the task. */
async function submitWith(run: TaskRun, attempt: TaskAttempt): Promise<MediaState> {
  const { services, task, call } = run
  const { target, own } = attempt
  const { clock } = services.context
  const failures = task.isSending ? task.failures + 1 : task.failures
  const credential = { byokId: own?.id ?? null, credentialName: target.credentialName ?? null }
  const submitting = { status: 'submitting', isSending: true, ...credential, failures } as const
  if (!(await change(run, submitting))) throw new TaskEnded()
  let checkedAt = clock.monotonic()
  let hasBegun = false
  try {
    const state = await submitMedia(services.upstreams, {
      call,
      target,
      accountId: task.accountId,
      idempotencyKey: task.id,
      // Not aborted when the worker ends: the outcome would be unknown.
      cancellation: new Cancellation(),
      async mayCall() {
        checkedAt = clock.monotonic()
        const current = await readTaskInProgress(services.context, task)
        if (!current) throw new TaskEnded()
        if (current.withdrawal) throw new Withdrawn(current.withdrawal)
      },
      mayStart() {
        const isFresh = clock.monotonic() - checkedAt < callStartsWithinMs
        hasBegun ||= isFresh
        return isFresh
      },
    })
    void recordOutcome(services.byok, attempt.own, undefined)
    return state
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    void recordOutcome(services.byok, attempt.own, error)
    if (hasBegun && error.details.status === undefined) throw new MayHaveBegun(error)
    throw error
  }
}

/** Whether a submit with unknown outcome may be repeated. */
function mayRepeat({ entry, task }: TaskRun): boolean {
  return isIdempotent(entry) || (answersAtOnce(entry) && task.failures < maxRepeats)
}

/** Whether the vendor honours idempotency keys: a repeated submit starts nothing new. */
function isIdempotent({ generation }: TaskRun['entry']): boolean {
  return generation.idempotency_header !== undefined
}

/** Repeats the submit later with the same credential, or ends the task if that is not allowed. */
function repeatLater(run: TaskRun, failure: UpstreamFailure): Promise<void> {
  return mayRepeat(run) ? tryLater(run, failure, { isSending: true }) : finish(run, interrupted)
}

function isTransient({ kind }: UpstreamFailure): boolean {
  return kind !== 'request' && kind !== 'auth'
}

/** Handles errors that are not the vendor's: a request that the model cannot serve, an unavailable service. */
async function endOrTryLater(run: TaskRun, problem: Problem): Promise<void> {
  const isSending = run.task.isSending
  if (problem.status >= 500 && problem.errorName !== 'upstream_auth')
    return tryLater(run, problem, { isSending })
  return finish(run, { status: 'failed', code: problem.code, message: problem.message })
}

/** The task ended while it was being submitted. */
class TaskEnded extends Error {}

/** The task must no longer be sent: its key was revoked, or its account was closed. */
class Withdrawn extends Error {
  readonly reason: keyof typeof withdrawn

  constructor(reason: keyof typeof withdrawn) {
    super(reason)
    this.reason = reason
  }
}

/** The request was sent and no response arrived. */
class MayHaveBegun extends Error {
  readonly failure: UpstreamFailure

  constructor(failure: UpstreamFailure) {
    super(failure.message, { cause: failure })
    this.failure = failure
  }
}
