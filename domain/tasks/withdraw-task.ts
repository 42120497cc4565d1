import { withTimeout } from '../../platform/clock.ts'
import { openPauses } from '../../platform/pauses.ts'
import { isTransient } from '../../platform/postgres/transient-errors.ts'
import type { Context } from '../context.ts'
import { outcomeOf } from './finish-task.ts'
import { publishTaskUpdate } from './publish-task-update.ts'
import { answerTimeoutMs, openStatuses, type TaskName } from './task.ts'

/** The result of `submit_task` (`schema/statements/submit-task.sql`). */
export type SubmitOutcome =
  | 'submitted'
  | 'known'
  | 'too_many'
  | 'balance'
  | 'cap'
  | 'headroom'
  | `budget:${string}`

/** Minimum and maximum delay before a withdrawal is retried, in milliseconds. */
const firstPauseMs = 100
const longestPauseMs = 2_000

/** A number of tasks above any account's limit: a withdrawal must not fail because of it. */
const unlimited = 2 ** 31 - 1

/** A task whose submit Postgres has not confirmed. */
export interface Withdrawal extends TaskName {
  requestId: string
  createdAt: number
  /** The task's row in the JSON format of `submit_task`, without a hold. */
  row: string
}

/**
 * Ends a task whose client got an error because Postgres did not confirm the submit. Nothing is charged, and a charge
 * since then is refunded. The same statement first submits the task without a hold, so that a submit that arrives
 * later finds it. A task is kept if a retry under its Idempotency-Key returns it. Repeats until Postgres responds.
 * Never throws.
 */
export async function withdrawTask(context: Context, task: Withdrawal): Promise<void> {
  const { log } = context
  const details = { taskId: task.id }
  const warning = 'withdrawal of a refused task is still being retried'
  const pause = openPauses({ log, warning, details, firstMs: firstPauseMs, longestMs: longestPauseMs })
  for (;;) {
    let failure: unknown
    try {
      if (await isReturned(context, task)) return
      if ((await endUnsubmitted(context, task)) || (await refund(context, task)))
        return log.warn(details, 'refused task withdrawn')
    } catch (error) {
      if (isRefused(error))
        return log.error({ err: error, ...details }, 'withdrawal of a refused task failed')
      failure = error
    }
    await pause(failure)
  }
}

/** Submits the task if it does not exist, and ends it. Resolves to false if it had already ended. */
async function endUnsubmitted(context: Context, { accountId, id, row }: Withdrawal): Promise<boolean> {
  const ending = context.sql<{ finished: boolean }[]>`
    with placed as materialized (select submit_task(${row}::text::json, '{}', ${unlimited}) as outcome)
    select finish_task(${accountId}, ${id}, ${[...openStatuses]}::text[],
      ${outcomeOf(context, withdrawn)}::text::json) as finished
    from placed where outcome is not null`
  const [ended] = await withTimeout(answerTimeoutMs, ending)
  if (ended?.finished) publishTaskUpdate(context, { accountId, id })
  return ended?.finished === true
}

/** Whether a retry under the Idempotency-Key has returned the task to its client. */
async function isReturned(
  { sql }: Context,
  { accountId, requestId }: { accountId: string; requestId: string },
): Promise<boolean> {
  const { count } = await sql`
    select 1 from idempotency_keys
    where account_id = ${accountId} and request_id = ${requestId} and status is not null`
  return count > 0
}

/** Whether Postgres returned a permanent error. If so, nothing was changed. */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && !isTransient(error)
}

/** Refunds a task that ended before it was withdrawn. Resolves to false while the outcome is unknown. */
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
  message: 'The database did not confirm the submit in time. Nothing was charged.',
} as const
