import type { Column } from '../../platform/postgres/row-text.ts'
import { noUsage, type Usage } from '../../schema/usage.ts'
import type { Settlement } from './ledger.ts'

/**
 * One request, from its arrival to its end: filled in as it goes, it becomes the row of the request log, the charge and
 * the line of the process's log. What is not known yet, or never will be, is empty, null or zero.
 */
export interface RequestRecord {
  /** Unique: whatever is sent twice is charged and logged once. */
  requestId: string
  /** Empty until the request is settled. */
  transactionId: string
  /** When it arrived, in milliseconds since 1970. */
  startedAt: number
  /** The same moment on the monotonic clock. */
  begunAt: number
  /** Empty until its key is recognised, like the next. */
  accountId: string
  keyId: string
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
  /** HTTP status, 499 when the client left; zero until it ends. */
  status: number
  errorCode: string | null
  usage: Usage
  /** The usage is our estimate: the vendor did not say. */
  usageEstimated: boolean
  costNanos: bigint
  /** The terms that make the cost, as the log keeps them; asked with what is charged, which may be less than was to be. */
  costTerms: ((costNanos: bigint) => string) | null
  endUser: string | null
  clientAddress: string | null
  upstreamRequestId: string | null
  firstByteMs: number | null
  durationMs: number
  /** How each attempt ended; empty where there was one, which the other fields describe. */
  attempts: object[]
}

/** The record of a request that has just arrived. */
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
    clientAddress: null,
    upstreamRequestId: null,
    firstByteMs: null,
    durationMs: 0,
    attempts: [],
  }
}

/** Texts of a record are cut to so many characters; terms and JSON that are longer are left out. */
const maxTextLength = 512
const maxJsonLength = 16_384

const maxInteger = 2 ** 31 - 1
/** More than any model counts, and few enough for the sums of a day. */
const maxTokens = 1e12
const endOfTime = Date.UTC(9999, 11, 31)

/**
 * The record as a row of type `charge`; `holdId` is the hold that pays. Texts and figures that clients and vendors
 * chose are cleaned here: a row that Postgres cannot take would be an answer that nobody pays.
 */
export function chargeOf(record: RequestRecord, holdId: string | undefined): Column[] {
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
  ]
}

/** Says that the client did not wait for its answer. */
export function recordLeaving(record: RequestRecord): void {
  record.status = 499
  record.errorCode = 'client_left'
}

/** When a request arrived, in UTC. */
export function timeOf(record: RequestRecord): string {
  return new Date(momentOf(record)).toISOString()
}

/** The same in milliseconds since 1970. */
export function momentOf({ startedAt }: RequestRecord): number {
  return whole(startedAt, endOfTime)
}

/** In the order in which the tables have them. */
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
 * An answer of which nothing had left when its settlement had taken too long never leaves: it costs nothing. Where
 * Postgres has charged it already, `refundUnanswered` follows. What has left is charged.
 */
export function releaseUnanswered({ record, isUnanswered, mayBeCharged }: Settlement): void {
  if (!isUnanswered) return
  const errorCode = mayBeCharged ? 'settlement_unknown' : 'unavailable'
  Object.assign(record, { costNanos: 0n, costTerms: null, status: 503, errorCode })
}

/** Without NUL, which no text of Postgres holds, and not without end. */
export function clean(text: string | null): string | null {
  return text === null ? null : withoutNul(text.length > maxTextLength ? text.slice(0, maxTextLength) : text)
}

/** A fault in the terms leaves them out: rows of other requests go with this one. */
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

/** A whole number from zero to `most`; what is no number is zero. */
function whole(value: number, most: number): number {
  return value >= 0 ? Math.min(Math.round(value), most) : 0
}
