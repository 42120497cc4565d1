import type { Sql } from '../../platform/postgres/open-postgres.ts'

export const taskKinds = ['video', 'speech', 'audio'] as const
export type TaskKind = (typeof taskKinds)[number]

/** Returns the route of a kind's submits in the request log (`schema/statements/log-task.sql` logs those that ran). */
export function routeOf(kind: TaskKind): string {
  return kind === 'speech' ? 'audio.speech' : `${kind === 'video' ? 'videos' : 'audio'}.generations`
}

/** In the order in which a task goes through them; the last three end it. */
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

/** One file that a task has made, as it is stored. */
export interface TaskResult {
  url: string
  /** Null, like the rest, where it is not stored here: its vendor serves it. */
  contentType: string | null
  bytes: number | null
  /** ISO 8601; the file is gone afterwards. */
  expiresAt: string | null
}

/** A task, as whoever asks for it may know it. */
export interface Task {
  accountId: string
  id: string
  requestId: string
  apiKeyId: string
  kind: TaskKind
  /** As clients name it: `<vendor>/<model_name>`. */
  model: string
  vendor: string
  status: TaskStatus
  /** What it costs where the platform's credential is used. */
  priceNanos: bigint
  /** What is held for it now. */
  heldNanos: bigint
  /** What was charged; null until it has ended. */
  costNanos: bigint | null
  byokId: string | null
  /** Percent, where the vendor tells. */
  progress: number | null
  results: TaskResult[] | null
  errorCode: string | null
  errorMessage: string | null
  callbackUrl: string | null
  /** A request to cancel it came, and was refused. */
  cancelRequestedAt: Date | null
  cancelRefusedAt: Date | null
  createdAt: Date
  /** When the vendor had taken it. */
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

/** Which task. */
export interface TaskName {
  accountId: string
  id: string
}

export function hasEnded({ status }: Pick<Task, 'status'>): boolean {
  return status === 'success' || status === 'failed' || status === 'cancelled'
}

/**
 * Postgres has so long to answer a step of a task, in milliseconds: a driver may wait for ever on a connection that was
 * lost without a word, and a step that never ends would keep its task for ever.
 */
export const answerTimeoutMs = 10_000
