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
  position: TransactionPosition
}

/** Where a transaction stands in the list: its creation in microseconds since 1970, then its id. */
export interface TransactionPosition {
  createdMicros: bigint
  id: string
}

/**
 * Lists transactions of an account, newest first: at most `limit` of them, those older than `after`, or those past
 * the first `offset`.
 */
export async function listTransactions(
  { sql }: Pick<Context, 'sql'>,
  args: { accountId: string; limit: number; offset?: number; after?: TransactionPosition | undefined },
): Promise<Transaction[]> {
  const { accountId, limit, offset = 0, after } = args
  const older = after
    ? sql`and (created_at, id) < (timestamptz 'epoch' + ${after.createdMicros} * interval '1 microsecond', ${after.id})`
    : sql``
  // The page is found in the index alone; only its own rows are fetched.
  const rows = await sql<Row[]>`
    select id, credits_nanos, payment_method, status, api_key_id, request_id, task_id, created_at,
      (extract(epoch from created_at) * 1000000)::bigint as created_micros
    from transactions
    where account_id = ${accountId} and id in (
      select id from transactions where account_id = ${accountId} ${older}
      order by created_at desc, id desc offset ${offset} limit ${limit}
    )
    order by created_at desc, id desc`
  return rows.map(transactionOf)
}

interface Row {
  id: string
  credits_nanos: bigint
  payment_method: string
  status: string
  api_key_id: string | null
  request_id: string | null
  task_id: string | null
  created_at: Date
  created_micros: bigint
}

function transactionOf(row: Row): Transaction {
  return {
    id: row.id,
    creditsNanos: row.credits_nanos,
    paymentMethod: row.payment_method,
    status: row.status,
    apiKeyId: row.api_key_id,
    requestId: row.request_id,
    taskId: row.task_id,
    createdAt: row.created_at,
    position: { createdMicros: row.created_micros, id: row.id },
  }
}
