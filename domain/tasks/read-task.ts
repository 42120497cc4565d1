import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import { type Task, type TaskKind, type TaskName, type TaskStatus, taskColumns } from './task.ts'

/** Finds a task of an account; undefined where it has none of that id. */
export async function findTask(
  { sql }: Pick<Context, 'sql'>,
  { accountId, id }: TaskName,
): Promise<Task | undefined> {
  const [task] = await sql<Task[]>`
    select ${taskColumns(sql)} from tasks where account_id = ${accountId} and id = ${id}`
  return task
}

/** Finds many tasks by one statement, in any order; those that do not exist are left out. */
export async function findTasks({ sql }: Pick<Context, 'sql'>, names: readonly TaskName[]): Promise<Task[]> {
  const accountIds = names.map(({ accountId }) => accountId)
  const ids = names.map(({ id }) => id)
  return sql<Task[]>`
    select ${taskColumns(sql)} from tasks
    where (account_id, id) in (select * from unnest(${accountIds}::uuid[], ${ids}::text[]))`
}

/** Reads the parameters with which tasks of an account were submitted, by task ID. */
export async function readParameters(
  { sql }: Pick<Context, 'sql'>,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<Map<string, Record<string, unknown>>> {
  const rows = await sql<{ id: string; parameters: Record<string, unknown> }[]>`
    select id, parameters from tasks where account_id = ${accountId} and id = any(${ids}::text[])`
  return new Map(rows.map(({ id, parameters }) => [id, parameters]))
}

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

/**
 * Lists tasks of an account, newest first: at most `limit` that follow `after` and precede `before`. With `oldestFirst`
 * in the other order, where `after` and `before` keep their meaning: `after` are newer ones then.
 */
export async function listTasks(
  { sql }: Pick<Context, 'sql'>,
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
  return sql<Task[]>`
    select ${taskColumns(sql)} from tasks
    where ${matchTasks(sql, accountId, filter)}
      ${older ? sql`and id < ${older.id}` : sql``} ${newer ? sql`and id > ${newer.id}` : sql``}
    order by id ${oldestFirst ? sql`asc` : sql`desc`}
    limit ${limit}`
}

/** Counts the tasks of an account that match the filter, up to `most`. */
export async function countTasks(
  { sql }: Pick<Context, 'sql'>,
  { accountId, filter = {}, most }: { accountId: string; filter?: TaskFilter; most: number },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from (
      select from tasks where ${matchTasks(sql, accountId, filter)} limit ${most}
    ) counted`
  return row?.total ?? 0
}

function matchTasks(sql: Sql, accountId: string, filter: TaskFilter) {
  const { kinds, statuses, models, keyIds, since, until } = filter
  const always = sql``
  return sql`account_id = ${accountId}
    ${kinds ? sql`and kind = any(${kinds}::text[])` : always}
    ${statuses ? sql`and status = any(${statuses}::text[])` : always}
    ${models ? sql`and model = any(${models}::text[])` : always}
    ${keyIds ? sql`and api_key_id = any(${keyIds}::uuid[])` : always}
    ${since ? sql`and created_at >= ${since}` : always}
    ${until ? sql`and created_at < ${until}` : always}`
}
