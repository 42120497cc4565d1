import { dayMs } from '../../platform/clock.ts'
import { idPrefixAt } from '../../platform/ids.ts'
import { type KeysetOrder, keyset, type Slice } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import type { Actor } from './record-action.ts'

/** An action on an account. */
export interface ActionRecord {
  id: string
  name: string
  state: 'begun' | 'done'
  actorKind: Actor['kind']
  actorId: string | null
  /** The e-mail address of the user who acted, at that time. */
  actorEmail: string | null
  targetType: string | null
  targetId: string | null
  fields: string[]
  reason: string | null
  address: string | null
  requestId: string | null
  createdAt: Date
}

/** A filter of actions. Several values of one field match any of them. */
export interface ActionFilter {
  names?: readonly string[] | undefined
  actorIds?: readonly string[] | undefined
  /** Names of operators. */
  operators?: readonly string[] | undefined
  targetIds?: readonly string[] | undefined
  since?: Date | undefined
  until?: Date | undefined
}

/** Newest first: IDs begin with their time. */
export const actionOrder = [{ name: 'id', type: 'text', direction: 'desc' }] as const satisfies KeysetOrder

/**
 * Lists a slice of the actions on an account, newest first. Reads about as many rows as it returns, unless several
 * fields are filtered.
 */
export async function listActions(
  { sql }: Pick<Context, 'sql'>,
  { accountId, filter = {}, slice }: { accountId: string; filter?: ActionFilter; slice: Slice },
): Promise<ActionRecord[]> {
  const { where, end, inOrder } = keyset(sql, actionOrder, slice)
  const { end: endOfValue } = keyset(sql, actionOrder, {
    ...slice,
    limit: slice.limit + (slice.offset ?? 0),
    offset: 0,
  })
  return sql<ActionRecord[]>`
    select ${columns(sql)} from (
      select id as page_id from (${matchingIds(sql, { accountId, filter, range: where, end: endOfValue })}) found ${end}
    ) page
    cross join lateral (select * from audit_log where account_id = ${accountId} and id = page_id offset 0) listed
    ${inOrder}`
}

/** Counts the actions on an account, up to `max`. */
export async function countActions(
  { sql }: Pick<Context, 'sql'>,
  { accountId, filter = {}, max }: { accountId: string; filter?: ActionFilter; max: number },
): Promise<number> {
  const end = sql`limit ${max}`
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from (
      select from (${matchingIds(sql, { accountId, filter, range: sql``, end })}) found ${end}
    ) counted`
  return row?.total ?? 0
}

/** Finds actions on an account by their IDs, in any order. */
export async function findActions(
  { sql }: Pick<Context, 'sql'>,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<ActionRecord[]> {
  return sql<ActionRecord[]>`
    select ${columns(sql)} from audit_log where account_id = ${accountId} and id = any (${[...ids]})`
}

type Fragment = ReturnType<typeof columns>

/**
 * Selects the IDs of the actions that match. For each value of the first field, an index has the IDs in order, and
 * `end` limits the number that is read. One search for all values would read many rows that do not match. Other fields
 * are compared row by row.
 */
function matchingIds(
  sql: Sql,
  args: { accountId: string; filter: ActionFilter; range: Fragment; end: Fragment },
): Fragment {
  const { accountId, filter, range, end } = args
  const { names, actorIds, operators, targetIds } = filter
  const actions = sql`select id from audit_log where account_id = ${accountId} ${range} ${begunWithin(sql, filter)}`
  const isByOperator = operators
    ? sql`and actor_kind = 'operator' and actor_id = any (${[...operators]})`
    : sql``
  const isAction = names ? sql`and action = any (${[...names]})` : sql``
  const isOfActor = actorIds ? sql`and actor_id = any (${[...actorIds]})` : sql``
  const ofEach = (values: readonly string[], match: Fragment) => sql`
    select id from unnest(${[...new Set(values)]}::text[]) as wanted (value)
    cross join lateral (${actions} ${match} ${isByOperator} ${end}) matching`
  if (targetIds) return ofEach(targetIds, sql`and target_id = wanted.value ${isAction} ${isOfActor}`)
  if (names) return ofEach(names, sql`and action = wanted.value ${isOfActor}`)
  if (actorIds) return ofEach(actorIds, sql`and actor_id = wanted.value`)
  if (operators) return ofEach(operators, sql`and actor_id = wanted.value`)
  return sql`${actions} ${end}`
}

/**
 * Maximum difference between the time in an action's ID and `created_at`, in milliseconds. Two different clocks set
 * them.
 */
const maxClockDifferenceMs = dayMs

/** The condition on the time of actions. IDs begin with their time, so a range of IDs bounds what is read. */
function begunWithin(sql: Sql, { since, until }: ActionFilter): Fragment {
  const earliest = since && idPrefixAt('act_', since.getTime() - maxClockDifferenceMs)
  const latest = until && idPrefixAt('act_', until.getTime() + maxClockDifferenceMs)
  return sql`
    ${since ? sql`and created_at >= ${since}` : sql``} ${earliest ? sql`and id >= ${earliest}` : sql``}
    ${until ? sql`and created_at < ${until}` : sql``} ${latest ? sql`and id < ${latest}` : sql``}`
}

function columns(sql: Sql) {
  return sql`id, action as name, state, actor_kind as "actorKind", actor_id as "actorId", actor_email as "actorEmail",
    target_type as "targetType", target_id as "targetId", fields, reason, address, request_id as "requestId",
    created_at as "createdAt"`
}
