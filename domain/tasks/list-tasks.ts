import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { type Task, type TaskKind, type TaskStatus, taskColumns, taskKinds, taskStatuses } from './task.ts'

/** Which tasks are wanted. Several values of one filter mean any of them. */
export interface TaskFilter {
  kinds?: readonly TaskKind[] | undefined
  statuses?: readonly TaskStatus[] | undefined
  /** As clients name them. */
  models?: readonly string[] | undefined
  keyIds?: readonly string[] | undefined
  /** Submitted at or after. */
  since?: Date | undefined
  /** Submitted before. */
  until?: Date | undefined
}

/** A position in the list: ids begin with their time. */
export type TaskPosition = Pick<Task, 'id'>

type Reader = { sql: Sql }

type Fragment = ReturnType<typeof taskColumns>

/**
 * Lists tasks of an account, newest first: at most `limit` that follow `after` and precede `before`. With `oldestFirst`
 * in the other order, where `after` and `before` keep their meaning: `after` are newer ones then. Reads about as many
 * rows as it returns, except for a filter of keys and models together.
 */
export async function listTasks(
  { sql }: Reader,
  args: {
    accountId: string
    filter?: TaskFilter
    limit: number
    after?: TaskPosition | undefined
    before?: TaskPosition | undefined
    oldestFirst?: boolean
  },
): Promise<Task[]> {
  const { accountId, filter = {}, limit, after, before, oldestFirst = false } = args
  const older = oldestFirst ? before : after
  const newer = oldestFirst ? after : before
  const end = sql`order by id ${oldestFirst ? sql`asc` : sql`desc`} limit ${limit}`
  const range = sql`${older ? sql`and id < ${older.id}` : sql``} ${newer ? sql`and id > ${newer.id}` : sql``}`
  return sql<Task[]>`
    select ${taskColumns(sql)} from (
      select row.* from (select id as page_id from (${matchingIds(sql, { accountId, filter, range, end })}) found ${end}) page
      cross join lateral (select * from tasks where account_id = ${accountId} and id = page_id offset 0) row
    ) listed
    order by id ${oldestFirst ? sql`asc` : sql`desc`}`
}

/** Counts the tasks of an account that match the filter, up to `most`. */
export async function countTasks(
  { sql }: Reader,
  { accountId, filter = {}, most }: { accountId: string; filter?: TaskFilter; most: number },
): Promise<number> {
  const end = sql`limit ${most}`
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from (
      select from (${matchingIds(sql, { accountId, filter, range: sql``, end })}) found ${end}
    ) counted`
  return row?.total ?? 0
}

/**
 * The IDs of tasks that match. Of each combination of the values of a filter, an index has the IDs in their order, and
 * `end` bounds how many of them are read: one search through all tasks of the account would read many that do not match.
 */
function matchingIds(
  sql: Sql,
  args: { accountId: string; filter: TaskFilter; range: Fragment; end: Fragment },
) {
  const { accountId, filter, range, end } = args
  const { kinds = taskKinds, statuses = taskStatuses, keyIds, models } = filter
  const tasks = sql`select id from tasks where account_id = ${accountId} ${range} ${submittedWithin(sql, filter)}`
  if (!keyIds && !models && !filter.kinds && !filter.statuses) return sql`${tasks} ${end}`
  const states = sql`unnest(${distinct(kinds)}::text[]) as kinds (of_kind)
    cross join unnest(${distinct(statuses)}::text[]) as statuses (of_status)`
  const matching = sql`${tasks} and kind = of_kind and status = of_status`
  if (keyIds)
    return sql`
      select id from ${states} cross join unnest(${distinct(keyIds)}::uuid[]) as keys (of_key)
      cross join lateral (
        ${matching} and api_key_id = of_key ${models ? sql`and model = any(${distinct(models)}::text[])` : sql``} ${end}
      ) matching`
  if (models)
    return sql`
      select id from ${states} cross join unnest(${distinct(models)}::text[]) as models (of_model)
      cross join lateral (${matching} and model = of_model ${end}) matching`
  return sql`select id from ${states} cross join lateral (${matching} ${end}) matching`
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)]
}

/** Maximum difference of the time in a task's ID from `created_at`, the arrival of the request: the body comes in between. */
const maxIdDelayMs = 3_600_000

/** The condition on the time of submission. IDs begin with their time, so a range of IDs bounds what is read. */
function submittedWithin(sql: Sql, { since, until }: TaskFilter) {
  const earliest = since && idAt(since.getTime() - maxIdDelayMs)
  const latest = until && idAt(until.getTime() + maxIdDelayMs)
  return sql`
    ${since ? sql`and created_at >= ${since}` : sql``} ${earliest ? sql`and id >= ${earliest}` : sql``}
    ${until ? sql`and created_at < ${until}` : sql``} ${latest ? sql`and id < ${latest}` : sql``}`
}

/** Returns what an ID of that moment begins with; undefined outside the years that IDs can have. */
function idAt(ms: number): string | undefined {
  if (ms < 0 || ms >= 2 ** 48) return undefined
  return `task_${Math.floor(ms).toString(16).padStart(12, '0')}`
}
