import type { Column } from '../../platform/postgres/row-text.ts'

/** What is known of one request when it ends: a row of the request log, and what it is charged. */
export interface RequestRecord {
  accountId: string
  keyId: string
  /** Unique: whatever is sent twice is charged and logged once. */
  requestId: string
  transactionId: string
  /** When it arrived, in milliseconds since 1970. */
  createdAt: number
  /** As `chat.completions`. */
  route: string
  /** The model that was asked for. */
  model: string | null
  /** The model that answered, where a fallback did. */
  answeredBy: string | null
  vendor: string | null
  /** The account's own credential, where one was used. */
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
  /** The terms that made the cost, as the price function explains it: JSON. */
  costTerms: string | null
  endUser: string | null
  clientAddress: string | null
  upstreamRequestId: string | null
  firstByteMs: number | null
  durationMs: number
}

/** Texts of a record are cut to so many characters. */
const maxTextLength = 512

/**
 * The record as a row of type `charge`; `holdId` is the hold that pays. Texts that clients and vendors chose are
 * cleaned here: a row that Postgres cannot take would be an answer that nobody pays.
 */
export function chargeOf(record: RequestRecord, holdId: string | undefined): Column[] {
  return [
    record.accountId,
    holdId ?? null,
    record.transactionId,
    new Date(record.createdAt).toISOString(),
    record.requestId,
    record.keyId,
    record.route,
    clean(record.model),
    clean(record.answeredBy),
    clean(record.vendor),
    record.byokId,
    record.streamed,
    record.status,
    clean(record.errorCode),
    record.promptTokens,
    record.cachedTokens,
    record.cacheCreationTokens,
    record.completionTokens,
    record.reasoningTokens,
    record.usageEstimated,
    record.costNanos,
    record.costTerms,
    clean(record.endUser),
    clean(record.clientAddress),
    clean(record.upstreamRequestId),
    record.firstByteMs,
    record.durationMs,
  ]
}

/** Without NUL, which no text of Postgres holds, and not without end. */
function clean(text: string | null): string | null {
  return text === null ? null : text.slice(0, maxTextLength).replaceAll('\0', '')
}
