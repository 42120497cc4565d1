import type { Context } from '../context.ts'

/** How many transactions an account has. */
export async function countTransactions(
  { sql }: Pick<Context, 'sql'>,
  { accountId }: { accountId: string },
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*)::float8 as total from transactions where account_id = ${accountId}`
  return row?.total ?? 0
}
