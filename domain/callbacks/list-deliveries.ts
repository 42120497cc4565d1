import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'

type Reader = { sql: Sql }

/** The state of a delivery. `gone`: the receiver responded with 410. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'gone'

/** A message to a URL of an account. */
export interface Delivery {
  accountId: string
  /** The `webhook-id` of each attempt. */
  id: string
  /** The type of the event, for example `task.completed`. */
  event: string
  taskId: string | null
  url: string
  state: DeliveryState
  /** The number of attempts so far. */
  tries: number
  /** When the next attempt is due; null if none is scheduled, or while one runs. */
  nextTryAt: Date | null
  createdAt: Date
  /** When the delivery succeeded or failed; null while it is pending. */
  endedAt: Date | null
}

/** One attempt of a delivery. */
export interface DeliveryTry {
  accountId: string
  deliveryId: string
  /** The number of the attempt, starting at 1. */
  number: number
  startedAt: Date
  /** The duration in milliseconds; null while the attempt runs, or if its process died. */
  durationMs: number | null
  /** The HTTP status of the response; null if the receiver did not respond. */
  status: number | null
  /** The reason why the attempt failed; null if the status is the reason. */
  error: string | null
  /** The first 1,024 bytes of the response's body. */
  answer: string | null
}

const columns = (sql: Sql) => sql`
  account_id as "accountId", id, event, task_id as "taskId", url, state, tries,
  case when state = 'pending' and not is_sending then due_at end as "nextTryAt",
  created_at as "createdAt", ended_at as "endedAt"`

/** Finds deliveries of an account by their IDs, in any order. */
export function findDeliveries(
  { sql }: Reader,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<Delivery[]> {
  return sql<Delivery[]>`
    select ${columns(sql)} from deliveries where account_id = ${accountId} and id = any (${[...ids]})`
}

/**
 * Finds the deliveries of an account's tasks, in any order: one for each task that has a `callback_url` and has ended.
 */
export function deliveriesOfTasks(
  { sql }: Reader,
  { accountId, taskIds }: { accountId: string; taskIds: readonly string[] },
): Promise<Delivery[]> {
  return sql<Delivery[]>`
    select ${columns(sql)} from deliveries
    where account_id = ${accountId} and task_id = any (${[...taskIds]})`
}

/** Newest first. */
export const deliveryOrder = [
  { name: 'created_at', type: 'timestamptz', direction: 'desc' },
  { name: 'id', type: 'text', direction: 'desc' },
] as const satisfies KeysetOrder

/** A delivery with its exact creation time, for the position in the list: a Date has no microseconds. */
export interface DeliveryRow extends Delivery {
  createdMicros: bigint
}

/** Returns the position of a delivery in that order. */
export function positionOfDelivery({ createdMicros, id }: DeliveryRow): Position {
  return [String(createdMicros), id]
}

/** A filter of deliveries: those in one of the states, or all. */
export interface DeliveryFilter {
  states?: readonly DeliveryState[] | undefined
}

/** Lists a slice of the deliveries of an account that match the filter, newest first. */
export async function listDeliveries(
  { sql }: Reader,
  { accountId, filter, slice }: { accountId: string; filter: DeliveryFilter; slice: Slice },
): Promise<DeliveryRow[]> {
  const { where, end } = keyset(sql, deliveryOrder, slice)
  return sql<DeliveryRow[]>`
    select ${columns(sql)}, (extract(epoch from created_at) * 1000000)::bigint as "createdMicros"
    from deliveries where account_id = ${accountId} ${inStates(sql, filter)} ${where} ${end}`
}

/** Counts the deliveries of an account that match the filter, up to `max`. */
export async function countDeliveries(
  { sql }: Reader,
  { accountId, filter, max }: { accountId: string; filter: DeliveryFilter; max: number },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from (
      select from deliveries where account_id = ${accountId} ${inStates(sql, filter)} limit ${max}
    ) counted`
  return row?.total ?? 0
}

/** The condition of the filter. The index of states finds few deliveries that failed among many that did not. */
function inStates(sql: Sql, { states }: DeliveryFilter) {
  return states ? sql`and state = any(${[...states]}::text[])` : sql``
}

/** Returns the attempts of deliveries. The attempts of each delivery are in order. */
export function triesOf(
  { sql }: Reader,
  deliveries: readonly Pick<Delivery, 'accountId' | 'id'>[],
): Promise<DeliveryTry[]> {
  const accountIds = deliveries.map(({ accountId }) => accountId)
  const ids = deliveries.map(({ id }) => id)
  return sql<DeliveryTry[]>`
    select account_id as "accountId", delivery_id as "deliveryId", number, started_at as "startedAt", duration_ms as "durationMs", status, error,
      answer
    from delivery_tries
    where (account_id, delivery_id) in (select * from unnest(${accountIds}::uuid[], ${ids}::text[]))
    order by delivery_id, number`
}
