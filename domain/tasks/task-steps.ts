import { withTimeout } from '../../platform/clock.ts'
import type { Context } from '../context.ts'
import { publishTaskUpdate } from './publish-task-update.ts'
import { answerTimeoutMs, type TaskName, type TaskStatus, taskStatuses } from './task.ts'

/** A step of a task. Its changes apply only until a later step begins. Changes by clients have no step. */
export interface TaskStep extends TaskName {
  step?: bigint
}

/** A task as the worker reads it for a step. */
export interface TaskInProgress extends TaskStep {
  step: bigint
  kind: string
  model: string
  vendor: string
  parameters: Record<string, unknown>
  status: TaskStatus
  ownOnly: boolean
  byokId: string | null
  /** The name of the platform's credential in use; null for an own one, and before a submit. */
  credentialName: string | null
  /** The vendor's reference to the task, as the adapter returned it. */
  upstream: unknown
  /** The files that the vendor made, until they are stored. */
  files: unknown
  progress: number | null
  failures: number
  /** Whether a submit was sent to the vendor and its result is unknown. */
  isSending: boolean
  createdAt: Date
  /** Time since its time limit ended, by Postgres's clock, in milliseconds; negative before. */
  overdueMs: number
  isCancelRequested: boolean
  requestId: string
  /** Why the task must no longer be sent to its vendor, or null. */
  withdrawal: 'key_revoked' | 'account_closed' | null
  /** The current revision of the account's credentials. */
  byokRevision: bigint
}

/** Time after which a step counts as lost although its worker is alive: no call to a vendor takes that long. */
const maxStep = '1 hour'

/**
 * Begins a step of a task for `worker`, and reads the task. Returns undefined if the task has ended or another worker
 * that is alive takes a step. `changeTask` with `nextMs` or `finishTask` ends the step.
 */
export function beginStep(
  { sql }: Pick<Context, 'sql'>,
  { accountId, id, worker }: TaskName & { worker: string },
): Promise<TaskInProgress | undefined> {
  return readOne(
    sql,
    sql`
    with begun as (
      update tasks set step = step + 1, worker = ${worker}, due_at = clock_timestamp() + ${maxStep}::interval
      where account_id = ${accountId} and id = ${id} and finished_at is null
        and (worker is null or worker = ${worker} or worker_is_dead(worker))
      returning *
    )`,
    sql`begun t`,
  )
}

/** Reads a task again during a step. Returns undefined if the task has ended or a later step has begun. */
export function readTaskInProgress(
  { sql }: Pick<Context, 'sql'>,
  { accountId, id, step }: TaskStep,
): Promise<TaskInProgress | undefined> {
  const isCurrent = step === undefined ? sql`` : sql`and o.step = ${step}`
  return readOne(
    sql,
    sql``,
    sql`(
    select * from tasks o
    where o.account_id = ${accountId} and o.id = ${id} and o.finished_at is null ${isCurrent}) t`,
  )
}

type Fragment = ReturnType<Context['sql']>

/** Reads the task of `source` with the current state of its key and the account's credentials. */
async function readOne(
  sql: Context['sql'],
  first: Fragment,
  source: Fragment,
): Promise<TaskInProgress | undefined> {
  const reading = sql<TaskInProgress[]>`
    ${first}
    select t.account_id as "accountId", t.id, t.step, t.kind, t.model, t.vendor, t.parameters, t.status,
      t.own_only as "ownOnly", t.byok_id as "byokId", t.credential_name as "credentialName", t.upstream, t.files, t.progress, t.failures,
      t.is_sending as "isSending",
      t.created_at as "createdAt",
      (extract(epoch from clock_timestamp() - t.ends_at) * 1000)::float8 as "overdueMs", t.request_id as "requestId",
      t.cancel_requested_at is not null and t.cancel_refused_at is null as "isCancelRequested",
      case when a.closed_at is not null then 'account_closed' when k.revoked_at is not null then 'key_revoked' end
        as withdrawal,
      a.byok_revision as "byokRevision"
    from ${source}
    join accounts a on a.id = t.account_id
    left join api_keys k on k.account_id = t.account_id and k.id = t.api_key_id`
  const [task] = await withTimeout(answerTimeoutMs, reading)
  return task
}

/** The changed fields of a task. Undefined fields keep their value. */
export interface TaskChange {
  /** The new status: the current one or a later one. */
  status?: (typeof taskStatuses)[number] | undefined
  /** The credential in use; null for the platform's. */
  byokId?: string | null | undefined
  /** The name of the platform's credential in use; null for an own one. */
  credentialName?: string | null | undefined
  isSending?: boolean | undefined
  upstream?: object | undefined
  files?: readonly object[] | undefined
  progress?: number | undefined
  failures?: number | undefined
  /** Whether the vendor refused to cancel the task. */
  refusesCancel?: boolean | undefined
  /** Time until the next step, in milliseconds. Ends the current step. If undefined, the step continues. */
  nextMs?: number | undefined
}

/**
 * Changes a task and, if `nextMs` is given, adds the job of its next step, in one transaction. Returns whether the
 * task was changed. It is not changed if it has ended, has reached a later status, or has begun a later step.
 */
export async function changeTask(context: Context, task: TaskStep, change: TaskChange): Promise<boolean> {
  const { sql } = context
  const { status, progress, refusesCancel, nextMs } = change
  const earlier = status && taskStatuses.slice(0, taskStatuses.indexOf(status) + 1)
  const isVisible = status !== undefined || progress !== undefined || refusesCancel === true
  const none = sql``
  const changing = sql<{ id: string }[]>`
    with changed as (
      update tasks set updated_at = ${isVisible ? sql`clock_timestamp()` : sql`updated_at`}
        ${[none, ...assignmentsOf(sql, change)]}
      where account_id = ${task.accountId} and id = ${task.id} and finished_at is null
        ${task.step === undefined ? none : sql`and step = ${task.step}`}
        ${earlier ? sql`and status = any(${earlier}::text[])` : none}
      returning account_id, id, due_at
    )
    select id ${nextMs === undefined ? none : sql`, ${addAdvanceJob(sql)}`} from changed`
  const rows = await withTimeout(answerTimeoutMs, changing)
  if (rows.length > 0 && isVisible) publishTaskUpdate(context, task)
  return rows.length > 0
}

/** Returns the assignments of the changed columns, each with a comma before it. */
function assignmentsOf(sql: Context['sql'], change: TaskChange) {
  const { status, byokId, credentialName, isSending, upstream, files } = change
  const { progress, failures, refusesCancel, nextMs } = change
  const isAnswered = status === 'running' || status === 'storing'
  const dueAt = nextMs === undefined ? undefined : `${Math.round(nextMs)} ms`
  const assignments = [
    dueAt && sql`, due_at = clock_timestamp() + ${dueAt}::interval, worker = null`,
    status && sql`, status = ${status}`,
    status === 'running' && sql`, submitted_at = coalesce(submitted_at, clock_timestamp())`,
    byokId !== undefined && sql`, byok_id = ${byokId}`,
    credentialName !== undefined && sql`, credential_name = ${credentialName}`,
    (isAnswered || isSending !== undefined) && sql`, is_sending = ${isSending ?? false}`,
    upstream && sql`, upstream = ${JSON.stringify(upstream)}::text::json`,
    files && sql`, files = ${JSON.stringify(files)}::text::json`,
    progress !== undefined && sql`, progress = ${progress}`,
    failures !== undefined && sql`, failures = ${failures}`,
    refusesCancel && sql`, cancel_refused_at = clock_timestamp()`,
  ]
  return assignments.filter(assignment => typeof assignment === 'object')
}

/**
 * Returns the SQL that adds the job of the next step, for a statement over rows with `account_id`, `id` and `due_at`.
 */
export function addAdvanceJob(sql: Context['sql']) {
  return sql`(graphile_worker.add_job('advance-task',
    payload := json_build_object('accountId', account_id, 'id', id), job_key := 'task:' || id, run_at := due_at)).id`
}
