import type { Context } from '../context.ts'
import { type Task, type TaskName, taskColumns } from './task.ts'

/** Finds a task of an account. Resolves to undefined if the account has no task with that ID. */
export async function findTask(
  { sql }: Pick<Context, 'sql'>,
  { accountId, id }: TaskName,
): Promise<Task | undefined> {
  const [task] = await sql<Task[]>`
    select ${taskColumns(sql)} from tasks where account_id = ${accountId} and id = ${id}`
  return task
}

/** Finds many tasks with one statement, in any order. Tasks that do not exist are left out. */
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
