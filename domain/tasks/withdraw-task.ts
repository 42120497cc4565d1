import { setTimeout as sleep } from 'node:timers/promises'
import { isTransient } from '../../platform/postgres/transient-errors.ts'
import type { Context } from '../context.ts'
import { finishTask } from './finish-task.ts'
import type { TaskName } from './task.ts'

/** What `submit_task` answers (`schema/statements/submit-task.sql`). */
export type SubmitOutcome = 'submitted' | 'known' | 'too_many' | 'balance' | 'cap' | 'headroom'

/** A task that was not withdrawn is tried again after so long, in milliseconds, and so often. */
const againMs = 1_000
const mostTries = 600

/**
 * Ends a task whose client was told that nobody knows whether it was taken: nothing is charged, and what was charged
 * meanwhile is refunded. It is submitted first, so that the statement without an answer finds it, should that arrive
 * later still. One that another try under its Idempotency-Key answers stays. Tries until Postgres answers, or the process ends. Never throws.
 */
export async function withdrawTask(
  context: Context,
  task: TaskName & { requestId: string; createdAt: number },
  submit: () => Promise<SubmitOutcome>,
): Promise<void> {
  const { log } = context
  for (let tries = 0; tries < mostTries; tries++) {
    try {
      const outcome = await submit()
      if (await isTold(context, task)) return
      const isThere = outcome === 'submitted' || outcome === 'known'
      if (isThere && ((await finishTask(context, task, { end: withdrawn })) || (await refund(context, task))))
        return log.warn({ taskId: task.id }, 'a task whose client was refused is withdrawn')
    } catch (error) {
      if (isRefused(error)) return log.error({ err: error, taskId: task.id }, 'a task was not withdrawn')
    }
    await sleep(againMs, undefined, { ref: false })
  }
}

/** Another try under the Idempotency-Key has taken the task up, and told its client. */
async function isTold(
  { sql }: Context,
  { accountId, requestId }: { accountId: string; requestId: string },
): Promise<boolean> {
  const { count } = await sql`
    select 1 from idempotency_keys
    where account_id = ${accountId} and request_id = ${requestId} and status is not null`
  return count > 0
}

/** Postgres has answered, with a fault of ours: nothing was changed. */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && !isTransient(error)
}

/** Gives back what a task was charged that ended before it could be withdrawn. False while that cannot be said yet. */
function refund(
  { sql, ids }: Context,
  task: TaskName & { requestId: string; createdAt: number },
): Promise<boolean> {
  const { accountId, id, requestId } = task
  const arrivedAt = new Date(task.createdAt)
  return sql.begin(async transaction => {
    const [row] = await transaction<{ refunded: bigint | null }[]>`
      select refund_request(${accountId}, ${arrivedAt}, ${requestId}, ${ids.tagged('txn_')}) as refunded`
    const refunded = row?.refunded ?? undefined
    if (refunded)
      await transaction`update tasks set cost_nanos = 0 where account_id = ${accountId} and id = ${id}`
    return refunded !== undefined
  })
}

const withdrawn = {
  status: 'cancelled',
  code: 'cancelled',
  message:
    'The database did not say in time that the task was taken, and its client was refused. Nothing was charged.',
} as const
