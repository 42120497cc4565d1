import type { Context } from '../context.ts'

/** Deletes tasks that ended two months ago, as the log of requests is kept. Resolves to how many. */
export async function forgetTasks({ sql }: Pick<Context, 'sql'>): Promise<number> {
  const { count } = await sql`
    delete from tasks where (account_id, id) in (
      select account_id, id from tasks where finished_at < now() - interval '2 months'
      order by finished_at limit 10000
    )`
  return count
}
