import { type KeysetOrder, keyset, type Position, type Slice } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'

type Reader = { sql: Sql }

/** What becomes of a delivery: `gone` where the receiver answered 410. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'gone'

/** Something that is sent, or was, to an address of an account. */
export interface Delivery {
  accountId: string
  /** The `webhook-id` of each try. */
  id: string
  /** What happened, e.g. `task.completed`. */
  event: string
  taskId: string | null
  url: string
  state: DeliveryState
  /** How many tries were made. */
  tries: number
  /** When the next try is due; null where there is none, or one is running. */
  nextTryAt: Date | null
  createdAt: Date
  /** When it was taken or given up; null while it is pending. */
  endedAt: Date | null
}

/** One try of a delivery. */
export interface DeliveryTry {
  accountId: string
  deliveryId: string
  /** Counted from 1. */
  number: number
  startedAt: Date
  /** Milliseconds; null while it runs, and for ever where its process died. */
  durationMs: number | null
  /** The HTTP status; null where nothing answered. */
  status: number | null
  /** Why it does not count as taken; null where the status says it. */
  error: string | null
  /** The first bytes of the answer, at most 1,024. */
  answer: string | null
}

const columns = (sql: Sql) => sql`
  account_id as "accountId", id, event, task_id as "taskId", url, state, tries,
  case when state = 'pending' and not is_sending then due_at end as "nextTryAt",
  created_at as "createdAt", ended_at as "endedAt"`

/** The deliveries of an account with these ids, in any order. */
export function findDeliveries(
  { sql }: Reader,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<Delivery[]> {
  return sql<Delivery[]>`
    select ${columns(sql)} from deliveries where account_id = ${accountId} and id = any (${[...ids]})`
}

/** The deliveries of tasks of an account, in any order: one of each task that has a callback_url and has ended. */
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

/** A delivery with its place in the list: `created_at` has microseconds, which a Date does not have. */
export interface DeliveryRow extends Delivery {
  createdMicros: bigint
}

/** Returns the place of a delivery in that order. */
export function positionOfDelivery({ createdMicros, id }: DeliveryRow): Position {
  return [String(createdMicros), id]
}

/** Lists a slice of the deliveries of an account, newest first. */
export async function listDeliveries(
  { sql }: Reader,
  { accountId, slice }: { accountId: string; slice: Slice },
): Promise<DeliveryRow[]> {
  const { where, end } = keyset(sql, deliveryOrder, slice)
  return sql<DeliveryRow[]>`
    select ${columns(sql)}, (extract(epoch from created_at) * 1000000)::bigint as "createdMicros"
    from deliveries where account_id = ${accountId} ${where} ${end}`
}

/** Counts the deliveries of an account, up to `max`. */
export async function countDeliveries(
  { sql }: Reader,
  { accountId, max }: { accountId: string; max: number },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::int as total from (
      select from deliveries where account_id = ${accountId} limit ${max}
    ) counted`
  return row?.total ?? 0
}

/** Returns the tries of deliveries, the tries of each delivery in their order. */
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
