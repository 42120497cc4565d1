import type { Context } from '../context.ts'
import { retryDelaysMs } from './retry-schedule.ts'

/**
 * A receiver of an account, whose deliveries share a limit of concurrent attempts. The payload of the job
 * `send-callback`.
 */
export interface Receiver {
  accountId: string
  /** The host and port of its URL. */
  receiver: string
}

/** An attempt that has begun. It must be ended with `endTry`, or it counts as lost when its lease ends. */
export interface BegunTry extends Receiver {
  /** The `webhook-id`. */
  id: string
  taskId: string | null
  url: string
  /** The body; null if it must be created from the task. */
  body: string | null
  /** When the attempt began, by the clock of Postgres. */
  begunAt: Date
  /** The number of this attempt, starting at 1. */
  number: number
  /** The number of this attempt within its schedule, starting at 1. */
  step: number
}

/** Maximum duration of one attempt, from the connection to the end of the response, in milliseconds. */
export const tryTimeoutMs = 15_000

/** Maximum number of attempts of one schedule. */
const maxSteps = retryDelaysMs.length + 1

/** Time after which an attempt that has not ended counts as lost, because its process died. */
const leaseMs = tryTimeoutMs + 5_000

/**
 * Begins attempts of a receiver's due deliveries, oldest first. At most `max` attempts run at the same time, over all
 * processes. `sender` is the worker that sends them (`Liveness.id`). Queues the job for the deliveries that are due
 * later.
 */
export async function claimDeliveries(
  { sql }: Pick<Context, 'sql'>,
  { accountId, receiver, max, sender }: Receiver & { max: number; sender: string },
): Promise<BegunTry[]> {
  const rows = await sql<Omit<BegunTry, 'accountId' | 'receiver'>[]>`
    select id, task_id as "taskId", url, body, number, step, clock_timestamp() as "begunAt"
    from claim_deliveries(${accountId}, ${receiver}, ${max}, ${maxSteps},
      ${`${leaseMs} ms`}::interval, ${sender})`
  return rows.map(row => ({ ...row, accountId, receiver }))
}

/**
 * Adds a job for every receiver where a delivery has been due for a minute: its job was lost. Returns the number of
 * receivers.
 */
export async function wakeReceivers({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const woken = await sql`
    select graphile_worker.add_job('send-callback', json_build_object('accountId', account_id, 'receiver', receiver),
      job_key := 'callbacks ' || account_id || ' ' || receiver)
    from (
      select distinct account_id, receiver from deliveries
      where state = 'pending' and due_at < clock_timestamp() - interval '1 minute' limit 1000
    ) late`
  return woken.count
}

/** Makes the deliveries of dead senders due at once. Resolves to the number of deliveries. */
export async function freeLostTries({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const [row] = await sql<{ freed: number }[]>`select free_lost_tries() as freed`
  return row?.freed ?? 0
}
