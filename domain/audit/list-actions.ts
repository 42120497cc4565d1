import { type KeysetOrder, keyset, type Slice } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import type { Actor } from './record-action.ts'

/** What was done to an account. */
export interface ActionRecord {
  id: string
  name: string
  state: 'begun' | 'done'
  actorKind: Actor['kind']
  actorId: string | null
  targetType: string | null
  targetId: string | null
  fields: string[]
  address: string | null
  requestId: string | null
  createdAt: Date
}

/** Which actions are wanted. Several values of one field mean any of them. */
export interface ActionFilter {
  names?: readonly string[] | undefined
  actorIds?: readonly string[] | undefined
  targetIds?: readonly string[] | undefined
  since?: Date | undefined
  until?: Date | undefined
}

/** Newest first: ids begin with their time. */
export const actionOrder = [{ name: 'id', type: 'text', direction: 'desc' }] as const satisfies KeysetOrder

/** Lists a slice of what was done to an account, newest first. */
export async function listActions(
  { sql }: Pick<Context, 'sql'>,
  { accountId, filter = {}, slice }: { accountId: string; filter?: ActionFilter; slice: Slice },
): Promise<ActionRecord[]> {
  const { where, end } = keyset(sql, actionOrder, slice)
  return sql<ActionRecord[]>`
    select ${columns(sql)} from audit_log where ${matching(sql, accountId, filter)} ${where} ${end}`
}

/** Counts what was done to an account, up to `most`. */
export async function countActions(
  { sql }: Pick<Context, 'sql'>,
  { accountId, filter = {}, most }: { accountId: string; filter?: ActionFilter; most: number },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from (
      select from audit_log where ${matching(sql, accountId, filter)} limit ${most}
    ) counted`
  return row?.total ?? 0
}

/** Finds actions of an account by their ids, in any order. */
export async function findActions(
  { sql }: Pick<Context, 'sql'>,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<ActionRecord[]> {
  return sql<ActionRecord[]>`
    select ${columns(sql)} from audit_log where account_id = ${accountId} and id = any (${[...ids]})`
}

function matching(sql: Sql, accountId: string, filter: ActionFilter) {
  const { names, actorIds, targetIds, since, until } = filter
  return sql`account_id = ${accountId}
    ${names ? sql`and action = any (${[...names]})` : sql``}
    ${actorIds ? sql`and actor_id = any (${[...actorIds]})` : sql``}
    ${targetIds ? sql`and target_id = any (${[...targetIds]})` : sql``}
    ${since ? sql`and created_at >= ${since}` : sql``}
    ${until ? sql`and created_at < ${until}` : sql``}`
}

function columns(sql: Sql) {
  return sql`id, action as name, state, actor_kind as "actorKind", actor_id as "actorId",
    target_type as "targetType", target_id as "targetId", fields, address, request_id as "requestId",
    created_at as "createdAt"`
}
