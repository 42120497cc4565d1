import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '../../platform/clock.ts'
import { isTransient } from '../../platform/postgres/transient-errors.ts'
import { Problem } from '../../schema/errors.ts'
import { allowanceOf } from '../allowances/allowances.ts'
import { allowanceExceeded } from '../allowances/exceeded.ts'
import { standingOf } from '../allowances/standing.ts'
import type { RequestLedger } from '../committer/committer.ts'
import type { Context } from '../context.ts'
import type { HoldBudgets } from '../ledger/hold.ts'
import { limitReached, notifyRefused } from '../ledger/reached-limits.ts'
import type { Explanation } from '../pricing/calculate-price.ts'
import { keepTerms } from '../pricing/kept-terms.ts'
import { publishTaskUpdate } from './publish-task-update.ts'
import { findTask } from './read-task.ts'
import type { Task, TaskKind, TaskName } from './task.ts'
import { isRefused, type SubmitOutcome, withdrawTask } from './withdraw-task.ts'

/** A task to submit: valid, priced, and permitted by its key and its rate limits. */
export interface NewTask extends TaskName {
  requestId: string
  apiKeyId: string
  kind: TaskKind
  model: string
  vendor: string
  /** The parameters as validated by the model's schema, with defaults. */
  parameters: Readonly<Record<string, unknown>>
  /** The cost if the platform's credential is used. */
  price: Explanation
  /** The budgets that count the task. */
  budgets: HoldBudgets
  /** Whether only the account's own credentials are used. If so, nothing is held. */
  ownOnly: boolean
  callbackUrl: string | undefined
  /** The client's metadata, in the format of the log. */
  metadata: string | null
  clientAddress: string | null
  /** When the request arrived, in milliseconds since 1970. */
  createdAt: number
  /** Time after which the task fails if it has not ended, in milliseconds. */
  timeLimitMs: number
}

/**
 * Delays between attempts while only headroom of other processes is missing, and the time for all of them, in
 * milliseconds. A dead process keeps its headroom for seven seconds (`schema/statements/submit-task.sql`).
 */
const firstPauseMs = 25
const longestPauseMs = 400
const patienceMs = 9_000

/** Maximum number of attempts after transient errors of Postgres, and the timeout of each, in milliseconds. */
const maxAttempts = 3
const answerTimeoutMs = 4_000

/** The part of the ledger that submits use. */
type TaskLedger = Pick<RequestLedger, 'recallHeadroom' | 'unfinished'>

/**
 * Returns the ID of the task that a request submits. It is derived from the request's ID, so that a request that is
 * repeated, or continued by another process under its Idempotency-Key, submits one task. It is sortable and
 * unguessable like the request's ID.
 */
export function taskIdOf(requestId: string): string {
  return requestId.replace(/^req_/, 'task_')
}

/**
 * Submits a task: reserves its price and queues it, in one transaction (`schema/statements/submit-task.sql`). If the
 * price exceeds the rest only because of headroom of edge processes, the headroom is recalled first. Submitting the
 * same ID again changes nothing. Throws `insufficient_credits`, `credit_limit_reached`, `budget_limit_reached`,
 * `allowance_exceeded`, `settlement_unknown`.
 */
export async function submitTask(
  { context, ledger }: { context: Context; ledger: TaskLedger },
  task: NewTask,
): Promise<Task> {
  const outcome = await submit(context, ledger, task)
  const limit = outcome === 'cap' ? 'cap' : task.budgets?.find(({ id }) => outcome === `budget:${id}`)
  if (limit) {
    notifyRefused(context, { accountId: task.accountId, keyId: task.apiKeyId, limit })
    throw limitReached(limit)
  }
  if (outcome === 'too_many') throw await tooMany(context, task)
  if (outcome === 'balance' || outcome === 'headroom') throw limitReached('balance')
  if (outcome === 'submitted') publishTaskUpdate(context, task)
  const submitted = await readSubmitted(context, ledger, task)
  if (!submitted) throw new Problem('internal', { internal: `the task ${task.id} no longer exists` })
  return submitted
}

/**
 * Reads the submitted task. If Postgres does not respond, withdraws the task, because its client does not learn its
 * ID.
 */
async function readSubmitted(context: Context, ledger: TaskLedger, task: NewTask): Promise<Task | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withTimeout(answerTimeoutMs, findTask(context, task))
    } catch (cause) {
      if (isTransient(cause) && attempt < maxAttempts) {
        await sleep(firstPauseMs)
        continue
      }
      withdraw(context, ledger, task)
      throw new Problem('settlement_unknown', { retryAfterSeconds: 1, cause })
    }
  }
}

async function submit(context: Context, ledger: TaskLedger, task: NewTask): Promise<SubmitOutcome> {
  const { clock } = context
  const until = clock.monotonic() + patienceMs
  const row = rowOf(context, task)
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const outcome = await sendWithRetries(context, ledger, { row, task })
    if (outcome !== 'headroom' || clock.monotonic() > until) return outcome
    ledger.recallHeadroom(task.accountId)
    await sleep(pauseMs)
  }
}

/**
 * Sends the statement, and again if its result was lost: the statement recognises a submitted task. Without any
 * result, withdraws the task.
 */
async function sendWithRetries(
  context: Context,
  ledger: TaskLedger,
  { row, task }: { row: string; task: NewTask },
): Promise<SubmitOutcome> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withTimeout(answerTimeoutMs, send(context, row, task))
    } catch (cause) {
      if (isTransient(cause) && attempt < maxAttempts) continue
      if (isRefused(cause)) throw cause
      withdraw(context, ledger, task)
      throw new Problem('settlement_unknown', { retryAfterSeconds: 1, cause })
    }
  }
}

async function send(
  { sql, allowances }: Context,
  row: string,
  { accountId, parameters }: NewTask,
): Promise<SubmitOutcome> {
  const maxTasks = allowanceOf(allowances, await standingOf(allowances, accountId), 'running_tasks')
  const [answer] = await sql<{ outcome: SubmitOutcome }[]>`
    select submit_task(${row}::text::json, ${JSON.stringify(parameters)}, ${maxTasks}) as outcome`
  return answer?.outcome ?? 'balance'
}

/** Withdraws a task in the background; the process waits for that before it ends. */
function withdraw(context: Context, { unfinished }: TaskLedger, task: NewTask): void {
  const row = rowOf(context, { ...task, ownOnly: true })
  const { accountId, id, requestId, createdAt } = task
  const withdrawing = withdrawTask(context, { accountId, id, requestId, createdAt, row })
  unfinished.add(withdrawing)
  void withdrawing.finally(() => unfinished.delete(withdrawing))
}

function rowOf({ ids }: Context, task: NewTask): string {
  const { price, ownOnly, createdAt } = task
  const isHeld = !ownOnly && price.amountNanos > 0n
  return JSON.stringify({
    account_id: task.accountId,
    id: task.id,
    request_id: task.requestId,
    api_key_id: task.apiKeyId,
    kind: task.kind,
    model: task.model,
    vendor: task.vendor,
    price_nanos: price.amountNanos.toString(),
    price_terms: keepTerms(price.terms),
    budget_ids: task.budgets?.map(({ id }) => id) ?? null,
    hold_id: isHeld ? ids.uuid() : null,
    own_only: ownOnly,
    callback_url: task.callbackUrl ?? null,
    metadata: task.metadata,
    client_address: task.clientAddress,
    created_at: new Date(createdAt).toISOString(),
    ends_at: new Date(createdAt + task.timeLimitMs).toISOString(),
  })
}

async function tooMany({ allowances }: Context, { accountId }: NewTask): Promise<Problem> {
  const standing = await standingOf(allowances, accountId)
  const limit = allowanceOf(allowances, standing, 'running_tasks')
  return allowanceExceeded('running_tasks', { limit, standing, retryAfterSeconds: 10 })
}
