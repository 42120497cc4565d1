import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { Usage } from '../../schema/usage.ts'
import type { Context } from '../context.ts'
import type { RequestRecord } from '../ledger/request-record.ts'
import { type PresentedTerm, readTerms } from '../pricing/kept-terms.ts'

/** The fields of a record that the log has under the same name and in the same form. */
type SharedField =
  | 'route'
  | 'model'
  | 'answeredBy'
  | 'vendor'
  | 'byokId'
  | 'streamed'
  | 'status'
  | 'errorCode'
  | 'usageEstimated'
  | 'costNanos'
  | 'endUser'
  | 'clientAddress'
  | 'upstreamRequestId'
  | 'firstByteMs'
  | 'durationMs'

/** One request in the log: what was requested, which vendor answered, what it used and cost. */
export interface RequestLog extends Usage, Pick<RequestRecord, SharedField> {
  id: string
  /** When it arrived. */
  createdAt: Date
  /** The same in microseconds since 1970: Postgres stores more digits than a Date has. */
  createdMicros: bigint
  apiKeyId: string
  /** The terms that the cost is the sum of; null where nothing was charged. */
  costTerms: PresentedTerm[] | null
  /** Every attempt; null where the first one succeeded. */
  attempts: AttemptRecord[] | null
}

/** A row of the log, as Postgres has it. */
export type RequestLogRow = Omit<RequestLog, 'costTerms'> & { costTerms: string | null }

/** Reads what is kept otherwise than it is shown. */
export function requestLogOf(row: RequestLogRow): RequestLog {
  return { ...row, costTerms: readTerms(row.costTerms) }
}

/** The columns of a request log, each under its name in `RequestLogRow`. */
export function requestLogColumns(sql: Sql) {
  return sql`
    id, created_at as "createdAt", (extract(epoch from created_at) * 1000000)::bigint as "createdMicros",
    api_key_id as "apiKeyId", route, model, answered_by as "answeredBy", vendor, byok_id as "byokId", streamed,
    status, error_code as "errorCode", prompt_tokens::float8 as "promptTokens",
    cached_tokens::float8 as "cachedTokens", cache_creation_tokens::float8 as "cacheCreationTokens",
    completion_tokens::float8 as "completionTokens", reasoning_tokens::float8 as "reasoningTokens",
    usage_estimated as "usageEstimated", cost_nanos as "costNanos", cost_terms as "costTerms",
    end_user as "endUser", client_address as "clientAddress", upstream_request_id as "upstreamRequestId",
    first_byte_ms as "firstByteMs", duration_ms as "durationMs", attempts::json as attempts`
}

/**
 * One attempt to have a request answered. The log has them where there was more than one, or the only one
 * failed.
 */
export interface AttemptRecord {
  /** The account's own credential; null is the platform's. */
  credentialId: string | null
  /** The model as clients name it. */
  model: string
  durationMs: number
  /** The vendor's HTTP status; null where it did not answer. */
  status: number | null
  /** Why it failed; null where it succeeded. Carries no secret. */
  error: string | null
}

/**
 * A request is logged with the time of its arrival, which its id contains; their clocks may be this far
 * apart.
 */
const maxClockSkewMs = 60_000

/**
 * Finds one request of an account; undefined where there is none. Its id contains the time of its arrival, so
 * that only one or two daily partitions are searched.
 */
export async function findRequest(
  context: Pick<Context, 'sql'>,
  { accountId, requestId }: { accountId: string; requestId: string },
): Promise<RequestLog | undefined> {
  const [request] = await findRequests(context, { accountId, requestIds: [requestId] })
  return request
}

/** Finds requests of an account by one statement, in any order. Unknown ids are skipped. */
export async function findRequests(
  { sql }: Pick<Context, 'sql'>,
  { accountId, requestIds }: { accountId: string; requestIds: readonly string[] },
): Promise<RequestLog[]> {
  const wanted = requestIds.flatMap(id => {
    const arrivedMs = arrivalOf(id)
    if (arrivedMs === undefined) return []
    const [since, until] = [arrivedMs - maxClockSkewMs, arrivedMs + maxClockSkewMs]
    return [sql`id = ${id} and created_at between ${new Date(since)} and ${new Date(until)}`]
  })
  const [first, ...others] = wanted
  if (!first) return []
  const rows = await sql<RequestLogRow[]>`
    select ${requestLogColumns(sql)} from request_logs
    where account_id = ${accountId} and (${others.reduce((all, next) => sql`${all} or ${next}`, first)})`
  return rows.map(requestLogOf)
}

/** ISO dates after the year 9999 have another form, which Postgres does not parse. */
const lastMs = Date.UTC(9999, 11, 31)

/**
 * The milliseconds since 1970 that the UUID v7 in an id begins with (`platform/ids.ts`); undefined for any
 * other id.
 */
function arrivalOf(requestId: string): number | undefined {
  const [, milliseconds] = /([0-9a-f]{12})7[0-9a-f]{19}$/.exec(requestId.replaceAll('-', '')) ?? []
  const arrivedMs = Number.parseInt(milliseconds ?? '', 16)
  return arrivedMs < lastMs ? arrivedMs : undefined
}
