import { clean, type RequestRecord } from '../ledger/request-record.ts'
import { keepCap } from '../pricing/kept-terms.ts'

/** A record of a request as an array, with the terms of `costNanos` in the format of the log. */
export type RecordFields = [
  requestId: string,
  transactionId: string,
  startedAt: number,
  durationMs: number,
  accountId: string,
  keyId: string,
  route: string,
  model: string | null,
  answeredBy: string | null,
  vendor: string | null,
  byokId: string | null,
  streamed: boolean,
  status: number,
  errorCode: string | null,
  usage: [prompt: number, cached: number, cacheCreation: number, completion: number, reasoning: number],
  usageEstimated: boolean,
  costNanos: string,
  costTerms: string | null,
  endUser: string | null,
  metadata: string | null,
  clientAddress: string | null,
  upstreamRequestId: string | null,
  firstByteMs: number | null,
  attempts: object[],
]

/** Maximum number of attempts that are sent with a record. */
const maxAttempts = 64

/** Returns the fields of a record. Texts have the length that the log keeps. */
export function recordFields(record: RequestRecord): RecordFields {
  const { usage } = record
  return [
    record.requestId,
    record.transactionId,
    record.startedAt,
    record.durationMs,
    record.accountId,
    record.keyId,
    record.route,
    clean(record.model),
    clean(record.answeredBy),
    clean(record.vendor),
    record.byokId,
    record.streamed,
    record.status,
    clean(record.errorCode),
    [
      usage.promptTokens,
      usage.cachedTokens,
      usage.cacheCreationTokens,
      usage.completionTokens,
      usage.reasoningTokens,
    ],
    record.usageEstimated,
    String(record.costNanos),
    record.costTerms?.(record.costNanos) ?? null,
    clean(record.endUser),
    record.metadata,
    clean(record.clientAddress),
    clean(record.upstreamRequestId),
    record.firstByteMs,
    record.attempts.slice(0, maxAttempts),
  ]
}

/** Returns the record of these fields. The times that only the edge process needs are not part of it. */
export function recordOf(fields: RecordFields): RequestRecord {
  const [requestId, transactionId, startedAt, durationMs, accountId, keyId, route, model, ...rest] = fields
  const [answeredBy, vendor, byokId, streamed, status, errorCode, tokens, usageEstimated, ...costs] = rest
  const [cost, costTerms, endUser, metadata, clientAddress, upstreamRequestId, firstByteMs, attempts] = costs
  const [promptTokens, cachedTokens, cacheCreationTokens, completionTokens, reasoningTokens] = tokens
  const costNanos = BigInt(cost)
  return {
    ...{
      requestId,
      transactionId,
      startedAt,
      begunAt: 0,
      durationMs,
      vendorMs: 0,
      answeredMs: null,
      settledMs: null,
      accountId,
      keyId,
      route,
      model,
    },
    ...{ answeredBy, vendor, byokId, streamed, status, errorCode },
    usage: { promptTokens, cachedTokens, cacheCreationTokens, completionTokens, reasoningTokens },
    ...{
      usageEstimated,
      costNanos,
      endUser,
      metadata,
      clientAddress,
      upstreamRequestId,
      firstByteMs,
      attempts,
    },
    costTerms:
      costTerms === null
        ? null
        : charged => (charged < costNanos ? keepCap(costTerms, charged - costNanos) : costTerms),
  }
}
