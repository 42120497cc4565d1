import type { Context } from '../context.ts'
import { retryDelaysMs } from './retry-schedule.ts'

/** The receiver of an account whose deliveries wait for each other. The payload of the job `send-callback`. */
export interface Receiver {
  accountId: string
  /** Host and port. */
  receiver: string
}

/** A try that was begun: it must be ended with `endTry`, or it counts as lost once its lease is over. */
export interface BegunTry extends Receiver {
  /** The `webhook-id`. */
  id: string
  taskId: string | null
  url: string
  /** Null where it is to be made from the task. */
  body: string | null
  /** When the try began, by the clock of Postgres. */
  begunAt: Date
  /** Of this try, counted from 1. */
  number: number
  /** Of this try since its schedule began. */
  step: number
}

/** How long one try may take, from the connection to the end of the answer, in milliseconds. */
export const tryTimeoutMs = 15_000

/** Tries of one schedule. */
const maxSteps = retryDelaysMs.length + 1

/** A try that has not ended by then is lost: its process died. */
const leaseMs = tryTimeoutMs + 5_000

/**
 * Begins the tries of what is due at a receiver, oldest first. At most `max` run at once, over all processes. `sender` is
 * the worker that sends them (`Liveness.id`). Queues the job that looks again.
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

/** Makes due at once what senders were sending that have died. Resolves to how many deliveries. */
export async function freeLostTries({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const [row] = await sql<{ freed: number }[]>`select free_lost_tries() as freed`
  return row?.freed ?? 0
}
