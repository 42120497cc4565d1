import type { Context } from '../context.ts'

/** What changed a balance: a completed charge or a top-up (contract: Transaction). */
export interface Transaction {
  id: string
  /** Negative for usage, positive for a top-up. */
  creditsNanos: bigint
  paymentMethod: string
  status: string
  /** What a usage row paid for, and through which key. */
  apiKeyId: string | null
  requestId: string | null
  taskId: string | null
  createdAt: Date
}

/**
 * Lists transactions of an account, newest first: at most `limit` of them, those older than the transaction
 * `after`, or those past the first `offset`.
 */
export async function listTransactions(
  { sql }: Pick<Context, 'sql'>,
  args: { accountId: string; limit: number; offset?: number; after?: string | undefined },
): Promise<Transaction[]> {
  const { accountId, limit, offset = 0, after } = args
  const older = after
    ? sql`and (created_at, id) < (
        select created_at, id from transactions where account_id = ${accountId} and id = ${after}
      )`
    : sql``
  // The page is found in the index alone; only its own rows are fetched.
  return sql<Transaction[]>`
    select id, credits_nanos as "creditsNanos", payment_method as "paymentMethod", status,
      api_key_id as "apiKeyId", request_id as "requestId", task_id as "taskId", created_at as "createdAt"
    from transactions
    where account_id = ${accountId} and id in (
      select id from transactions where account_id = ${accountId} ${older}
      order by created_at desc, id desc offset ${offset} limit ${limit}
    )
    order by created_at desc, id desc`
}
