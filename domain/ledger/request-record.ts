import type { Column } from '../../platform/postgres/row-text.ts'
import { noUsage, type Usage } from '../../schema/usage.ts'
import { budgetIdsOf, type HoldBudgets } from './hold.ts'
import type { Settlement } from './ledger.ts'

/**
 * A request from its arrival to its end. It is filled in step by step and becomes the row of the request log, the
 * charge and the line in the process's log. Unknown values are empty, null or zero.
 */
export interface RequestRecord {
  /** The request's unique ID. Records with the same ID are charged and logged once. */
  requestId: string
  /** The ID of the transaction; empty until the request is settled. */
  transactionId: string
  /** When the request arrived, in milliseconds since 1970. */
  startedAt: number
  /** The arrival on the monotonic clock. */
  begunAt: number
  /** The account. Empty until the key is recognised, like `keyId`. */
  accountId: string
  keyId: string
  /** The operation, such as `chat.completions`. */
  route: string
  /** The requested model. */
  model: string | null
  /** The model that produced the response, if it was a fallback. */
  answeredBy: string | null
  vendor: string | null
  /** The account's own credential, if one was used. */
  byokId: string | null
  streamed: boolean
  /** The HTTP status: 499 if the client disconnected, zero until the request ends. */
  status: number
  errorCode: string | null
  usage: Usage
  /** Whether the usage is estimated because the vendor did not report it. */
  usageEstimated: boolean
  costNanos: bigint
  /**
   * Returns the terms of the cost in the format of the log. Its argument is the charged amount, which may be lower
   * than the calculated one.
   */
  costTerms: ((costNanos: bigint) => string) | null
  endUser: string | null
  /** The client's metadata, in the format of the log. */
  metadata: string | null
  clientAddress: string | null
  upstreamRequestId: string | null
  firstByteMs: number | null
  durationMs: number
  /** Time of its calls until each vendor failed or began to answer, in milliseconds. Not logged. */
  vendorMs: number
  /** When the vendor's answer was complete, in milliseconds after the arrival. Not logged. */
  answeredMs: number | null
  /** When the charge was durable, in milliseconds after the arrival. Not logged. */
  settledMs: number | null
  /** The outcome of each attempt. Empty after a single attempt that the other fields describe. */
  attempts: object[]
}

/** Creates the record of a request that has just arrived. */
export function openRecord(
  arrival: Pick<RequestRecord, 'requestId' | 'startedAt' | 'begunAt'>,
): RequestRecord {
  return {
    requestId: arrival.requestId,
    transactionId: '',
    startedAt: arrival.startedAt,
    begunAt: arrival.begunAt,
    accountId: '',
    keyId: '',
    route: '',
    model: null,
    answeredBy: null,
    vendor: null,
    byokId: null,
    streamed: false,
    status: 0,
    errorCode: null,
    usage: noUsage,
    usageEstimated: false,
    costNanos: 0n,
    costTerms: null,
    endUser: null,
    metadata: null,
    clientAddress: null,
    upstreamRequestId: null,
    firstByteMs: null,
    durationMs: 0,
    vendorMs: 0,
    answeredMs: null,
    settledMs: null,
    attempts: [],
  }
}

/** Maximum length of texts and JSON, in characters. Longer texts are truncated; longer terms and JSON are left out. */
const maxTextLength = 512
const maxJsonLength = 16_384

const maxInteger = 2 ** 31 - 1
/** Maximum token count: above that of any model, and low enough for the sums of a day. */
const maxTokens = 1e12
const endOfTime = Date.UTC(9999, 11, 31)

/**
 * Returns the record as a row of type `charge`. `holdId` is the hold that pays, and `budgets` are the budgets that
 * count the cost. Values from clients and vendors are cleaned here, because a row that Postgres refuses would be an
 * unpaid response.
 */
export function chargeOf(record: RequestRecord, holdId: string | undefined, budgets?: HoldBudgets): Column[] {
  const { usage } = record
  return [
    record.accountId,
    holdId ?? null,
    record.transactionId,
    timeOf(record),
    record.requestId,
    record.keyId,
    record.route,
    clean(record.model),
    clean(record.answeredBy),
    clean(record.vendor),
    record.byokId,
    record.streamed,
    whole(record.status, maxInteger),
    clean(record.errorCode),
    ...tokensOf(usage),
    record.usageEstimated,
    record.costNanos,
    cleanJson(termsOf(record)),
    clean(record.endUser),
    clean(record.clientAddress),
    clean(record.upstreamRequestId),
    record.firstByteMs === null ? null : whole(record.firstByteMs, maxInteger),
    whole(record.durationMs, maxInteger),
    record.attempts.length === 0 ? null : cleanJson(JSON.stringify(record.attempts)),
    record.metadata,
    budgetIdsOf(budgets),
  ]
}

/** Records that the client disconnected before the end of the response. */
export function recordLeaving(record: RequestRecord): void {
  record.status = 499
  record.errorCode = 'client_left'
}

/** Returns when the request arrived, in UTC. */
export function timeOf(record: RequestRecord): string {
  return new Date(momentOf(record)).toISOString()
}

/** Returns when the request arrived, in milliseconds since 1970. */
export function momentOf({ startedAt }: RequestRecord): number {
  return whole(startedAt, endOfTime)
}

/** Returns the token counts in the order of the tables' columns. */
export function tokensOf(usage: Usage): number[] {
  return [
    whole(usage.promptTokens, maxTokens),
    whole(usage.cachedTokens, maxTokens),
    whole(usage.cacheCreationTokens, maxTokens),
    whole(usage.completionTokens, maxTokens),
    whole(usage.reasoningTokens, maxTokens),
  ]
}

/**
 * Releases a settlement that took too long before any part of the response was sent: the response is discarded and
 * costs nothing. If Postgres has already charged it, `refundUnanswered` follows.
 */
export function releaseUnanswered({ record, isUnanswered, mayBeCharged }: Settlement): void {
  if (!isUnanswered) return
  const errorCode = mayBeCharged ? 'settlement_unknown' : 'unavailable'
  Object.assign(record, { costNanos: 0n, costTerms: null, status: 503, errorCode })
}

/**
 * Truncates a text and returns it as Postgres stores it: without NUL, and with a replacement character for each half of
 * a character.
 */
export function clean(text: string | null): string | null {
  if (text === null) return null
  return withoutNul(text.length > maxTextLength ? text.slice(0, maxTextLength) : text).toWellFormed()
}

/** Returns the terms, or null if they cannot be built: an error here would fail the rows of other requests too. */
function termsOf({ costTerms, costNanos }: RequestRecord): string | null {
  try {
    return costTerms?.(costNanos) ?? null
  } catch {
    return null
  }
}

function cleanJson(text: string | null): string | null {
  return text === null || text.length > maxJsonLength ? null : withoutNul(text)
}

function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}

/** Returns an integer from zero to `max`. NaN becomes zero. */
function whole(value: number, max: number): number {
  return value >= 0 ? Math.min(Math.round(value), max) : 0
}
