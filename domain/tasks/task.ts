import type { Sql } from '../../platform/postgres/open-postgres.ts'

export const taskKinds = ['video', 'speech', 'audio'] as const
export type TaskKind = (typeof taskKinds)[number]

/**
 * Returns the route of a kind's submits in the request log. `schema/statements/task-route.sql` returns the same for tasks
 * that have ended.
 */
export function routeOf(kind: TaskKind): string {
  return kind === 'speech' ? 'audio.speech' : `${kind === 'video' ? 'videos' : 'audio'}.generations`
}

/** The statuses in the order of a task's life. The last three end it. */
export const taskStatuses = [
  'queued',
  'submitting',
  'running',
  'storing',
  'success',
  'failed',
  'cancelled',
] as const
export type TaskStatus = (typeof taskStatuses)[number]

/** The states of a task that has not ended: `pending` to clients. */
export const openStatuses = ['queued', 'submitting', 'running', 'storing'] as const satisfies TaskStatus[]

/** A stored file that a task has made. */
export interface TaskResult {
  url: string
  /** The media type. Null, like the next two, if the vendor serves the file. */
  contentType: string | null
  bytes: number | null
  /** When the file is deleted, in ISO 8601. */
  expiresAt: string | null
}

/** A task as the owning account may see it. */
export interface Task {
  accountId: string
  id: string
  requestId: string
  apiKeyId: string
  kind: TaskKind
  /** The model as clients name it: `<vendor>/<model_name>`. */
  model: string
  vendor: string
  status: TaskStatus
  /** The cost if the platform's credential is used. */
  priceNanos: bigint
  /** The amount that is currently held for the task. */
  heldNanos: bigint
  /** The charged amount; null until the task has ended. */
  costNanos: bigint | null
  byokId: string | null
  /** Progress in percent; null if the vendor does not report it. */
  progress: number | null
  results: TaskResult[] | null
  errorCode: string | null
  errorMessage: string | null
  callbackUrl: string | null
  /** When cancellation was requested, and when the vendor refused it. */
  cancelRequestedAt: Date | null
  cancelRefusedAt: Date | null
  createdAt: Date
  /** When the vendor accepted the task. */
  submittedAt: Date | null
  updatedAt: Date
  finishedAt: Date | null
}

/** The columns of `tasks` under their names in `Task`. */
export function taskColumns(sql: Sql) {
  return sql`
    account_id as "accountId", id, request_id as "requestId", api_key_id as "apiKeyId", kind, model, vendor, status,
    price_nanos as "priceNanos", case when hold_id is null then 0::bigint else price_nanos end as "heldNanos",
    cost_nanos as "costNanos", byok_id as "byokId", progress, results, error_code as "errorCode",
    error_message as "errorMessage", callback_url as "callbackUrl", cancel_requested_at as "cancelRequestedAt",
    cancel_refused_at as "cancelRefusedAt", created_at as "createdAt", submitted_at as "submittedAt",
    updated_at as "updatedAt", finished_at as "finishedAt"`
}

/** The account and ID of a task. */
export interface TaskName {
  accountId: string
  id: string
}

export function hasEnded({ status }: Pick<Task, 'status'>): boolean {
  return status === 'success' || status === 'failed' || status === 'cancelled'
}

/**
 * Maximum time for Postgres to respond to a step of a task, in milliseconds. Without it, a driver could wait forever
 * on a silently lost connection, and the step would block its task.
 */
export const answerTimeoutMs = 10_000
