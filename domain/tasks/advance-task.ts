import { withTimeout } from '../../platform/clock.ts'
import type { Context } from '../context.ts'
import { answerTimeoutMs, type TaskName, type TaskStatus, taskStatuses } from './task.ts'
import { tellOfTask } from './tell-of-task.ts'

/** What the worker needs to know of a task to bring it further. */
export interface TaskInProgress extends TaskName {
  kind: string
  model: string
  vendor: string
  parameters: Record<string, unknown>
  status: TaskStatus
  ownOnly: boolean
  byokId: string | null
  /** What the vendor knows it by, as its wire format left it. */
  upstream: unknown
  /** What the vendor made, while it waits to be stored. */
  files: unknown
  progress: number | null
  failures: number
  /** A call that submits it was begun, and what became of it is not known. */
  isSending: boolean
  createdAt: Date
  endsAt: Date
  isCancelRequested: boolean
  requestId: string
  /** Its key was revoked. */
  isKeyRevoked: boolean
  /** Of the account's credentials, as they are now. */
  byokRevision: bigint
}

/** Reads a task that has not ended, with how its key and the account's credentials stand now. */
export async function readTaskInProgress(
  { sql }: Pick<Context, 'sql'>,
  { accountId, id }: TaskName,
): Promise<TaskInProgress | undefined> {
  const reading = sql<TaskInProgress[]>`
    select t.account_id as "accountId", t.id, t.kind, t.model, t.vendor, t.parameters, t.status,
      t.own_only as "ownOnly", t.byok_id as "byokId", t.upstream, t.files, t.progress, t.failures,
      t.is_sending as "isSending",
      t.created_at as "createdAt", t.ends_at as "endsAt", t.request_id as "requestId",
      t.cancel_requested_at is not null and t.cancel_refused_at is null as "isCancelRequested",
      k.revoked_at is not null as "isKeyRevoked", a.byok_revision as "byokRevision"
    from tasks t
    join accounts a on a.id = t.account_id
    left join api_keys k on k.account_id = t.account_id and k.id = t.api_key_id
    where t.account_id = ${accountId} and t.id = ${id} and t.finished_at is null`
  const [task] = await withTimeout(answerTimeoutMs, reading)
  return task
}

/** What has changed of a task; what is undefined stays as it is. */
export interface TaskChange {
  /** A later one than it has, or the same. */
  status?: (typeof taskStatuses)[number] | undefined
  /** The credential that is tried; null is the platform's. */
  byokId?: string | null | undefined
  isSending?: boolean | undefined
  upstream?: object | undefined
  files?: readonly object[] | undefined
  progress?: number | undefined
  failures?: number | undefined
  /** The request to cancel it is answered with no. */
  refusesCancel?: boolean | undefined
  /** It is advanced again after so long, in milliseconds; undefined: whoever changes it goes on with it. */
  nextMs?: number | undefined
}

/**
 * Changes a task that has not ended, and has it advanced again where that is asked for, in one transaction. Resolves to
 * whether it was changed: not where it has ended meanwhile, or is further than that.
 */
export async function advanceTask(context: Context, task: TaskName, change: TaskChange): Promise<boolean> {
  const { sql } = context
  const { status, byokId, isSending, upstream, files, progress, failures, refusesCancel, nextMs } = change
  const isAnswered = status === 'running' || status === 'storing'
  const earlier = status && taskStatuses.slice(0, taskStatuses.indexOf(status) + 1)
  const isTold = status !== undefined || progress !== undefined || refusesCancel === true
  const none = sql``
  const dueAt = sql`clock_timestamp() + ${`${Math.round(nextMs ?? 0)} ms`}::interval`
  const changing = sql<{ id: string }[]>`
    with changed as (
      update tasks set
        due_at = ${dueAt}, updated_at = ${isTold ? sql`clock_timestamp()` : sql`updated_at`}
        ${status ? sql`, status = ${status}` : none}
        ${status === 'running' ? sql`, submitted_at = coalesce(submitted_at, clock_timestamp())` : none}
        ${byokId === undefined ? none : sql`, byok_id = ${byokId}`}
        ${isSending === undefined && !isAnswered ? none : sql`, is_sending = ${isSending ?? false}`}
        ${upstream ? sql`, upstream = ${JSON.stringify(upstream)}::text::json` : none}
        ${files ? sql`, files = ${JSON.stringify(files)}::text::json` : none}
        ${progress === undefined ? none : sql`, progress = ${progress}`}
        ${failures === undefined ? none : sql`, failures = ${failures}`}
        ${refusesCancel ? sql`, cancel_refused_at = clock_timestamp()` : none}
      where account_id = ${task.accountId} and id = ${task.id} and finished_at is null
        ${earlier ? sql`and status = any(${earlier}::text[])` : none}
      returning account_id, id, due_at
    )
    select id ${nextMs === undefined ? none : sql`, ${addAdvanceJob(sql)}`} from changed`
  const rows = await withTimeout(answerTimeoutMs, changing)
  if (rows.length > 0 && isTold) tellOfTask(context, task)
  return rows.length > 0
}

/** Within a statement over rows with `account_id`, `id` and `due_at`: the job that advances the task then. */
export function addAdvanceJob(sql: Context['sql']) {
  return sql`(graphile_worker.add_job('advance-task',
    payload := json_build_object('accountId', account_id, 'id', id), job_key := 'task:' || id, run_at := due_at)).id`
}
