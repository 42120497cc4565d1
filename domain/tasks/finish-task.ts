import { withTimeout } from '../../platform/clock.ts'
import type { Context } from '../context.ts'
import { publishTaskUpdate } from './publish-task-update.ts'
import { answerTimeoutMs, openStatuses, type TaskResult, type TaskStatus } from './task.ts'
import type { TaskStep } from './task-steps.ts'

/** How a task ended. */
export type TaskEnd =
  | { status: 'success'; results: readonly TaskResult[] }
  | { status: 'failed' | 'cancelled'; code: string; message: string }

/** Maximum length of a vendor's message, in characters. Longer messages are truncated. */
const maxMessageLength = 500

/** The HTTP status in the request log by outcome. Other failures are the vendor's. */
const httpStatuses: Readonly<Record<string, number>> = {
  success: 200,
  cancelled: 499,
  timed_out: 504,
  content_policy: 400,
  key_revoked: 401,
  account_closed: 403,
}

/**
 * Ends a task: charges it or releases its hold, logs its request and queues its callback, in one transaction
 * (`schema/statements/finish-task.sql`). Returns whether the task was ended. It is not changed if it has ended, has
 * none of the statuses `from`, or has begun a later step.
 */
export async function finishTask(
  context: Context,
  task: TaskStep,
  { from = openStatuses, end }: { from?: readonly TaskStatus[]; end: TaskEnd },
): Promise<boolean> {
  const finishing = context.sql<{ finished: boolean }[]>`
    select finish_task(${task.accountId}, ${task.id}, ${[...from]}::text[], ${outcomeOf(context, end, task.step)}::text::json)
      as finished`
  const [row] = await withTimeout(answerTimeoutMs, finishing)
  const isFinished = row?.finished === true
  if (isFinished) publishTaskUpdate(context, task)
  return isFinished
}

/** Returns the end of a task in the JSON format of `finish_task`. */
export function outcomeOf({ ids }: Pick<Context, 'ids'>, end: TaskEnd, step?: bigint): string {
  const failure = end.status === 'success' ? undefined : end
  return JSON.stringify({
    status: end.status,
    results: end.status === 'success' ? end.results : null,
    error_code: failure?.code ?? null,
    error_message: failure ? plain(failure.message) : null,
    http_status: httpStatuses[failure?.code ?? end.status] ?? 502,
    step: step?.toString() ?? null,
    transaction_id: ids.tagged('txn_'),
  })
}

/** Returns text that Postgres can store, at most `maxMessageLength` characters. */
function plain(message: string): string {
  return message.slice(0, maxMessageLength).replaceAll('\0', '').toWellFormed()
}
