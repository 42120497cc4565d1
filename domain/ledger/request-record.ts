/** What is known of one request when it ends: a row of the request log, and what it is charged. */
export interface RequestRecord {
  accountId: string
  keyId: string
  /** Unique: whatever is sent twice is charged and logged once. */
  requestId: string
  transactionId: string
  /** When it arrived, in milliseconds since 1970. */
  createdAt: number
  route: string
  model: string | null
  /** The model that answered, where a fallback did. */
  answeredBy: string | null
  vendor: string | null
  byokId: string | null
  streamed: boolean
  /** HTTP status, 499 when the client left. */
  status: number
  errorCode: string | null
  promptTokens: number
  cachedTokens: number
  cacheCreationTokens: number
  completionTokens: number
  reasoningTokens: number
  /** The usage is our estimate: the vendor did not say. */
  usageEstimated: boolean
  costNanos: bigint
  /** The terms that made the cost, as the price function explains it. */
  costTerms: unknown
  endUser: string | null
  clientAddress: string | null
  upstreamRequestId: string | null
  firstByteMs: number | null
  durationMs: number
}

/** The record as a row of the settling statement; `holdId` is the hold that pays. */
export function rowOf(record: RequestRecord, holdId: string | undefined) {
  return {
    account_id: record.accountId,
    hold_id: holdId ?? null,
    transaction_id: record.transactionId,
    created_at: new Date(record.createdAt).toISOString(),
    id: record.requestId,
    api_key_id: record.keyId,
    route: record.route,
    model: record.model,
    answered_by: record.answeredBy,
    vendor: record.vendor,
    byok_id: record.byokId,
    streamed: record.streamed,
    status: record.status,
    error_code: record.errorCode,
    prompt_tokens: record.promptTokens,
    cached_tokens: record.cachedTokens,
    cache_creation_tokens: record.cacheCreationTokens,
    completion_tokens: record.completionTokens,
    reasoning_tokens: record.reasoningTokens,
    usage_estimated: record.usageEstimated,
    cost_nanos: record.costNanos.toString(),
    cost_terms: record.costTerms ?? null,
    end_user: record.endUser,
    client_address: record.clientAddress,
    upstream_request_id: record.upstreamRequestId,
    first_byte_ms: record.firstByteMs,
    duration_ms: record.durationMs,
  }
}
