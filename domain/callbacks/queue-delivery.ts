import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'

/** Something to be sent to an address of an account. */
export interface NewDelivery {
  accountId: string
  /**
   * The `webhook-id`, by which the receiver knows that it has had it. Derive it from what has happened where that
   * may be reported twice: nothing is queued under an id that exists.
   */
  id: string
  /** What happened, e.g. `budget.reached`. */
  event: string
  /** Checked as addresses that customers name are (`checkAddress`). It is checked again when it is connected to. */
  url: string
  /** Exactly what is sent: JSON. */
  body: string
}

/**
 * Queues a delivery, in the transaction that made it happen: it is sent once that commits, signed with the account's
 * secret, and again by the schedule until the receiver takes it (docs/callbacks.md). Resolves to false where one of
 * this id exists. In SQL, call `queue_delivery`.
 */
export async function queueDelivery(sql: Sql | SqlTransaction, delivery: NewDelivery): Promise<boolean> {
  const { accountId, id, event, url, body } = delivery
  const [row] = await sql<{ queued: boolean }[]>`
    select queue_delivery(${accountId}::uuid, ${id}, ${event}, ${url}, ${body}) as queued`
  return row?.queued ?? false
}

/** A new id of a delivery. */
export function newDeliveryId({ ids }: Pick<Context, 'ids'>): string {
  return ids.tagged('msg_')
}
