import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'

/** A new message to a URL of an account. */
export interface NewDelivery {
  accountId: string
  /**
   * The `webhook-id`, by which the receiver recognizes repeats. If the event can be reported twice, derive the ID from
   * the event: a delivery with an existing ID is not queued.
   */
  id: string
  /** The type of the event, for example `budget.reached`. */
  event: string
  /** The URL, which has passed `checkAddress`. It is checked again on the open connection. */
  url: string
  /** The body, sent unchanged: JSON. */
  body: string
}

/**
 * Queues a delivery in the transaction of its event. After the commit, it is sent, signed with the account's secret,
 * and retried by the schedule until the receiver accepts it (docs/callbacks.md). Resolves to false if a delivery with
 * this ID exists. In SQL, call `queue_delivery`.
 */
export async function queueDelivery(sql: Sql | SqlTransaction, delivery: NewDelivery): Promise<boolean> {
  const { accountId, id, event, url, body } = delivery
  const [row] = await sql<{ queued: boolean }[]>`
    select queue_delivery(${accountId}::uuid, ${id}, ${event}, ${url}, ${body}) as queued`
  return row?.queued ?? false
}

/** Returns a new ID of a delivery. */
export function newDeliveryId({ ids }: Pick<Context, 'ids'>): string {
  return ids.tagged('msg_')
}
