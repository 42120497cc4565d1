import { systemIds } from '../../../platform/ids.ts'
import type { Sql } from '../../../platform/postgres/open-postgres.ts'

export interface SettledRequest {
  id: string
  accountId: string
  keyId: string
  createdAt: Date
  costNanos: bigint
}

/**
 * A request that ran, settled by the statement that settles every request: its log row, its transaction where it
 * cost something, and the spend of its key. `columns` are columns of `request_logs`.
 */
export async function aSettledRequest(
  sql: Sql,
  {
    accountId,
    keyId,
    createdAt = new Date(),
    costNanos = 0n,
    columns = {},
  }: {
    accountId: string
    keyId: string
    createdAt?: Date
    costNanos?: bigint
    columns?: Record<string, string | number | boolean | null | object>
  },
): Promise<SettledRequest> {
  const id = requestIdAt(createdAt)
  const charge = {
    id,
    account_id: accountId,
    api_key_id: keyId,
    transaction_id: systemIds.tagged('txn_'),
    created_at: createdAt.toISOString(),
    route: 'chat.completions',
    model: 'vendor_a/model',
    vendor: 'vendor_a',
    streamed: false,
    status: 200,
    prompt_tokens: 0,
    cached_tokens: 0,
    cache_creation_tokens: 0,
    completion_tokens: 0,
    reasoning_tokens: 0,
    usage_estimated: false,
    cost_nanos: costNanos.toString(),
    duration_ms: 12,
    ...columns,
  }
  await sql`
    select * from settle_requests(
      array(select json_populate_record(null::charge, ${JSON.stringify(charge)}::text::json)), '{}',
      -- False, after the account is locked.
      (select count(*) from (select from balances where account_id = ${accountId} for no key update) locked) < 0)`
  return { id, accountId, keyId, createdAt, costNanos }
}

/** A request id as if it had been minted at that moment. */
function requestIdAt(moment: Date): string {
  const minted = systemIds.tagged('')
  return `req_${moment.getTime().toString(16).padStart(12, '0')}${minted.slice(12)}`
}
