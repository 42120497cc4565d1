import { openRecord, type RequestRecord } from '../../../domain/ledger/request-record.ts'
import { systemIds } from '../../../platform/ids.ts'
import { noUsage } from '../../../schema/usage.ts'

/** A chat request of a key that ended well, at that cost. */
export function aRequestRecord(key: { accountId: string; keyId: string }, costNanos: bigint): RequestRecord {
  const arrival = { requestId: systemIds.tagged('req_'), startedAt: Date.now(), begunAt: 0 }
  return {
    ...openRecord(arrival),
    accountId: key.accountId,
    keyId: key.keyId,
    transactionId: systemIds.tagged('txn_'),
    route: 'chat.completions',
    model: 'vendor_a/test',
    vendor: 'vendor_a',
    status: 200,
    usage: { ...noUsage, promptTokens: 1, completionTokens: 1 },
    costNanos,
    durationMs: 1,
  }
}
