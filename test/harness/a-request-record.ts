import type { RequestRecord } from '../../domain/ledger/request-record.ts'
import { systemIds } from '../../platform/ids.ts'

/** A chat request of a key that ended well, at that cost. */
export function aRequestRecord(key: { accountId: string; keyId: string }, costNanos: bigint): RequestRecord {
  return {
    accountId: key.accountId,
    keyId: key.keyId,
    requestId: systemIds.tagged('req_'),
    transactionId: systemIds.tagged('txn_'),
    createdAt: Date.now(),
    route: 'chat.completions',
    model: 'vendor_a/test',
    answeredBy: null,
    vendor: 'vendor_a',
    byokId: null,
    streamed: false,
    status: 200,
    errorCode: null,
    promptTokens: 1,
    cachedTokens: 0,
    cacheCreationTokens: 0,
    completionTokens: 1,
    reasoningTokens: 0,
    usageEstimated: false,
    costNanos,
    costTerms: null,
    endUser: null,
    clientAddress: null,
    upstreamRequestId: null,
    firstByteMs: null,
    durationMs: 1,
    attempts: null,
  }
}
