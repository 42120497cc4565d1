import { withTimeout } from '../../platform/clock.ts'
import { openPauses } from '../../platform/pauses.ts'
import { isTransient } from '../../platform/postgres/transient-errors.ts'
import type { Context } from '../context.ts'
import { outcomeOf } from './finish-task.ts'
import { publishTaskUpdate } from './publish-task-update.ts'
import { answerTimeoutMs, openStatuses, type TaskName } from './task.ts'

/** What `submit_task` answers (`schema/statements/submit-task.sql`). */
export type SubmitOutcome = 'submitted' | 'known' | 'too_many' | 'balance' | 'cap' | 'headroom'

/** The first and the longest pause before a withdrawal is tried again, in milliseconds. */
const firstPauseMs = 100
const longestPauseMs = 2_000

/** More tasks than an account can have: a withdrawal is no task that runs. */
const unlimited = 2 ** 31 - 1

/** A task that nobody may have submitted. */
export interface Withdrawal extends TaskName {
  requestId: string
  createdAt: number
  /** Its row as `submit_task` takes it, in JSON, without a hold. */
  row: string
}

/**
 * Ends a task whose client was refused because Postgres did not confirm it: nothing is charged, and a charge that was made
 * meanwhile is refunded. In the same statement the task is submitted without a hold, so that the statement without an
 * answer finds it, should that arrive later. A task that another try under its Idempotency-Key answers stays. Repeated
 * until Postgres answers. Never throws.
 */
export async function withdrawTask(context: Context, task: Withdrawal): Promise<void> {
  const { log } = context
  const details = { taskId: task.id }
  const warning = 'a task whose client was refused is still not withdrawn'
  const pause = openPauses({ log, warning, details, firstMs: firstPauseMs, longestMs: longestPauseMs })
  for (;;) {
    let failure: unknown
    try {
      if (await isTold(context, task)) return
      if ((await endUnsubmitted(context, task)) || (await refund(context, task)))
        return log.warn(details, 'a task whose client was refused is withdrawn')
    } catch (error) {
      if (isRefused(error)) return log.error({ err: error, ...details }, 'a task was not withdrawn')
      failure = error
    }
    await pause(failure)
  }
}

/** Submits the task where it is not there, and ends it. Resolves to false where it had ended before. */
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
