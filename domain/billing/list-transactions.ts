import type { Context } from '../context.ts'

/** What changed a balance: a completed charge or a top-up. */
export interface Transaction {
  id: string
  /** Negative for usage, positive for a top-up. */
  creditsNanos: bigint
  paymentMethod: string
  status: string
  /** The key, and the request or task, that a usage row paid for. */
  apiKeyId: string | null
  requestId: string | null
  taskId: string | null
  createdAt: Date
}

/** A position in the list: ids begin with their time. */
export type TransactionPosition = Pick<Transaction, 'id'>

/**
 * Lists transactions of an account, newest first: at most `limit` that follow `after`, or that follow the
 * first `offset`.
 */
export async function listTransactions(
  { sql }: Pick<Context, 'sql'>,
  args: { accountId: string; limit: number; offset?: number; after?: TransactionPosition | undefined },
): Promise<Transaction[]> {
  const { accountId, limit, offset = 0, after } = args
  const older = after ? sql`and id < ${after.id}` : sql``
  // The ids of the page come from the index alone, so that only its own rows are fetched.
  return sql<Transaction[]>`
    select id, credits_nanos as "creditsNanos", payment_method as "paymentMethod", status,
      api_key_id as "apiKeyId", request_id as "requestId", task_id as "taskId", created_at as "createdAt"
    from transactions
    where account_id = ${accountId} and id in (
      select id from transactions where account_id = ${accountId} ${older}
      order by id desc offset ${offset} limit ${limit}
    )
    order by id desc`
}

/** Counts the transactions of an account, up to `most`: an account may have millions. */
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
