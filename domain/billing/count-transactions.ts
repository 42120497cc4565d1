import type { Context } from '../context.ts'

/** How many transactions an account has, counted to `most`: an account may have millions. */
export async function countTransactions(
  { sql }: Pick<Context, 'sql'>,
  { accountId, most }: { accountId: string; most: number },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from (
      select from transactions where account_id = ${accountId} limit ${most}
    ) counted`
  return row?.total ?? 0
}
