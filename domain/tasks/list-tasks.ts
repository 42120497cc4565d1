import { idPrefixAt } from '../../platform/ids.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { type Task, type TaskKind, type TaskStatus, taskColumns, taskKinds, taskStatuses } from './task.ts'

/** A filter of tasks. Several values of one field match any of them. */
export interface TaskFilter {
  kinds?: readonly TaskKind[] | undefined
  statuses?: readonly TaskStatus[] | undefined
  /** Names of models as clients use them. */
  models?: readonly string[] | undefined
  keyIds?: readonly string[] | undefined
  /** The earliest time of submission, inclusive. */
  since?: Date | undefined
  /** The latest time of submission, exclusive. */
  until?: Date | undefined
}

/** A position in the list. IDs begin with their time. */
export type TaskPosition = Pick<Task, 'id'>

type Reader = { sql: Sql }

type Fragment = ReturnType<typeof taskColumns>

/**
 * Lists tasks of an account, newest first: at most `limit` that follow `after` and precede `before`. With
 * `oldestFirst` the order is reversed, so tasks that follow `after` are newer. Reads about as many rows as it
 * returns, except for a filter by both keys and models.
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

/** Counts the tasks of an account that match the filter, at most `max`. */
export async function countTasks(
  { sql }: Reader,
  { accountId, filter = {}, max }: { accountId: string; filter?: TaskFilter; max: number },
): Promise<number> {
  const end = sql`limit ${max}`
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from (
      select from (${matchingIds(sql, { accountId, filter, range: sql``, end })}) found ${end}
    ) counted`
  return row?.total ?? 0
}

/**
 * Returns the SQL for the IDs of matching tasks. An index has the IDs in order for each combination of the filter's
 * values, and `end` limits the number that is read. A single search through all tasks would read many that do not
 * match. Each kind and status is a separate value in the statement, so that the planner knows its frequency.
 * Otherwise, while all tasks have one status, the planner would expect the same of every status and scan all tasks.
 */
function matchingIds(
  sql: Sql,
  args: { accountId: string; filter: TaskFilter; range: Fragment; end: Fragment },
) {
  const { accountId, filter, range, end } = args
  const { kinds = taskKinds, statuses = taskStatuses } = filter
  const tasks = sql`select id from tasks where account_id = ${accountId} ${range} ${submittedWithin(sql, filter)}`
  if (!filter.keyIds && !filter.models && !filter.kinds && !filter.statuses) return sql`${tasks} ${end}`
  const searches = distinct(kinds).flatMap(kind =>
    distinct(statuses).map(status => {
      const matching = sql`${tasks} and kind = ${kind} and status = ${status}`
      return sql`(${ofKeyOrModel(sql, matching, { filter, end })})`
    }),
  )
  const [first = sql`select id from tasks where false`, ...others] = searches
  return others.reduce((all, search) => sql`${all} union all ${search}`, first)
}

function ofKeyOrModel(sql: Sql, matching: Fragment, { filter, end }: { filter: TaskFilter; end: Fragment }) {
  const { keyIds, models } = filter
  if (keyIds)
    return sql`
      select id from unnest(${distinct(keyIds)}::uuid[]) as keys (of_key)
      cross join lateral (
        ${matching} and api_key_id = of_key ${models ? sql`and model = any(${distinct(models)}::text[])` : sql``} ${end}
      ) matching`
  if (models)
    return sql`
      select id from unnest(${distinct(models)}::text[]) as models (of_model)
      cross join lateral (${matching} and model = of_model ${end}) matching`
  return sql`${matching} ${end}`
}

function distinct<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)]
}

/**
 * Maximum difference between the time in a task's ID and `created_at`, in milliseconds: the body is received in
 * between.
 */
const maxIdDelayMs = 3_600_000

/** The condition on the time of submission. IDs begin with their time, so a range of IDs bounds what is read. */
function submittedWithin(sql: Sql, { since, until }: TaskFilter) {
  const earliest = since && idPrefixAt('task_', since.getTime() - maxIdDelayMs)
  const latest = until && idPrefixAt('task_', until.getTime() + maxIdDelayMs)
  return sql`
    ${since ? sql`and created_at >= ${since}` : sql``} ${earliest ? sql`and id >= ${earliest}` : sql``}
    ${until ? sql`and created_at < ${until}` : sql``} ${latest ? sql`and id < ${latest}` : sql``}`
}
