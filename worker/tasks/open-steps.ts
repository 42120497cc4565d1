import { setTimeout as sleep } from 'node:timers/promises'
import { Occupancy } from '../../domain/allowances/occupancy.ts'
import { standingOf } from '../../domain/allowances/standing.ts'
import type { Context } from '../../domain/context.ts'
import type { TaskName } from '../../domain/tasks/task.ts'
import { addJobWithRetry } from '../../platform/jobs/add-job.ts'
import { explainFault } from '../../platform/process/explain-fault.ts'
import { Problem } from '../../schema/errors.ts'

/** Maximum number of steps of tasks that one worker takes at the same time. Most of them wait for vendors. */
const maxSteps = 1_000

/**
 * Maximum number of those with own credentials of all accounts together. Not an allowance: it leaves the rest of the worker
 * to steps with credentials of the platform, because a vendor that an account chose may never answer.
 */
const maxOwnSteps = 500

/** Delay before a refused step is tried again, in milliseconds: a base, and an amount per waiting step of the account. */
const refusedMs = 1_000
const refusedMsPerStep = 20

/** The steps of tasks that this worker takes. They run beside the jobs: waiting for a vendor occupies no job. */
export interface Steps {
  /**
   * Begins a step, and returns once it has begun. If the account or the process has no capacity, the step is tried again
   * later.
   */
  begin(name: TaskName): Promise<void>
  /** Occupies a slot for a credential of an account. Returns how to leave it, or undefined if there is none. */
  enterOwn(): (() => void) | undefined
  /** Waits for the steps in progress for at most `graceMs`, then aborts them. */
  close(graceMs: number): Promise<void>
}

/** Time that aborted steps have to record how far they are, in milliseconds. */
const abortMs = 3_000

/** Opens the steps of a process. `take` takes one. */
export function openSteps(
  context: Context,
  take: (name: TaskName, signal: AbortSignal) => Promise<void>,
): Steps {
  const slots = new Occupancy(context.allowances, { resource: 'worker_steps', capacity: maxSteps })
  const inProgress = new Map<string, Promise<void>>()
  /** Tasks whose next job arrived while the step that added it was still ending. */
  const dueAgain = new Set<string>()
  /** Numbers of steps that wait since they were refused, by account. */
  const refused = new Map<string, number>()
  const stopping = new AbortController()
  let ownSteps = 0

  async function run(name: TaskName): Promise<void> {
    try {
      await take(name, stopping.signal)
    } catch (error) {
      context.log.error({ taskId: name.id, error: explainFault(error) }, 'a task was not advanced')
      await addJobUntilClosed(name)
    }
  }

  /** Postgres may be unavailable for minutes. Once this process has ended, `recover-tasks` finds the task. */
  async function addJobUntilClosed(name: TaskName): Promise<void> {
    while (!stopping.signal.aborted) {
      const isAdded = await tryLater(context, name, refusedMs).then(
        () => true,
        () => false,
      )
      if (isAdded) return
      await sleep(refusedMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  async function refuse(name: TaskName): Promise<void> {
    const waiting = (refused.get(name.accountId) ?? 0) + 1
    const delayMs = refusedMs * (1 + Math.random()) + refusedMsPerStep * waiting
    refused.set(name.accountId, waiting)
    setTimeout(() => {
      const left = (refused.get(name.accountId) ?? 1) - 1
      if (left > 0) refused.set(name.accountId, left)
      else refused.delete(name.accountId)
    }, delayMs).unref()
    await tryLater(context, name, delayMs)
  }

  async function begin(name: TaskName): Promise<void> {
    const standing = await standingOf(context.allowances, name.accountId)
    if (stopping.signal.aborted) return tryLater(context, name, 0)
    if (inProgress.has(name.id)) return void dueAgain.add(name.id)
    try {
      slots.occupy(standing, 1)
    } catch (error) {
      if (error instanceof Problem) return refuse(name)
      throw error
    }
    const running = run(name).finally(() => {
      inProgress.delete(name.id)
      slots.release(standing, 1)
      if (dueAgain.delete(name.id)) void begin(name).catch(() => addJobUntilClosed(name))
    })
    inProgress.set(name.id, running)
  }

  return {
    begin,
    enterOwn() {
      if (ownSteps >= maxOwnSteps) return undefined
      ownSteps += 1
      return () => {
        ownSteps -= 1
      }
    },
    async close(graceMs) {
      await Promise.race([Promise.all(inProgress.values()), sleep(graceMs, undefined, { ref: false })])
      stopping.abort()
      await Promise.race([Promise.all(inProgress.values()), sleep(abortMs, undefined, { ref: false })])
    },
  }
}

/** Replaces the waiting job of the task, so that there is one. */
function tryLater({ sql }: Context, name: TaskName, afterMs: number): Promise<void> {
  return addJobWithRetry(sql, { name: 'advance-task', payload: name, key: `task:${name.id}`, afterMs })
}
