import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { Usage } from '../../schema/usage.ts'
import type { RequestRecord } from '../ledger/request-record.ts'
import { type PresentedTerm, readTerms } from '../pricing/kept-terms.ts'
import type { RequestDatabases } from './log-database.ts'
import type { MetadataPair } from './request-metadata.ts'

/** The fields of a request's record that the log stores unchanged under the same name. */
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

/** One request in the log, with its model, vendor, usage and cost. */
export interface RequestLog extends Usage, Pick<RequestRecord, SharedField> {
  id: string
  /** When the request arrived. */
  createdAt: Date
  /** When the request arrived, in microseconds since 1970: Postgres stores more digits than a Date has. */
  createdMicros: bigint
  apiKeyId: string
  /** The terms of the cost; null if nothing was charged. */
  costTerms: PresentedTerm[] | null
  /** The attempts; null if the first one succeeded without a choice of credentials. */
  attempts: AttemptRecord[] | null
  /** The client's metadata; null if the request had none. */
  metadata: MetadataPair[] | null
}

/** A row of the log as Postgres returns it. */
export type RequestLogRow = Omit<RequestLog, 'costTerms'> & { costTerms: string | null }

/** Converts a row to a request: some columns are stored in another form than they are shown. */
export function requestLogOf(row: RequestLogRow): RequestLog {
  return { ...row, costTerms: readTerms(row.costTerms) }
}

/** Selects the columns of the log under their names in `RequestLogRow`. */
export function requestLogColumns(sql: Sql) {
  return sql`
    id, created_at as "createdAt", (extract(epoch from created_at) * 1000000)::bigint as "createdMicros",
    api_key_id as "apiKeyId", route, model, answered_by as "answeredBy", vendor, byok_id as "byokId", streamed,
    status, error_code as "errorCode", prompt_tokens::float8 as "promptTokens",
    cached_tokens::float8 as "cachedTokens", cache_creation_tokens::float8 as "cacheCreationTokens",
    completion_tokens::float8 as "completionTokens", reasoning_tokens::float8 as "reasoningTokens",
    usage_estimated as "usageEstimated", cost_nanos as "costNanos", cost_terms as "costTerms",
    end_user as "endUser", client_address as "clientAddress", upstream_request_id as "upstreamRequestId",
    first_byte_ms as "firstByteMs", duration_ms as "durationMs", attempts::json as attempts,
    metadata::json as metadata`
}

/**
 * One attempt of a request. The log has attempts if there was more than one, if the only one failed, or if its credential
 * or vendor was chosen among several.
 */
export interface AttemptRecord {
  /** The account's own credential; null for the platform's. */
  credentialId: string | null
  /** The name of the platform's credential; null for an own one, and in rows that were written without it. */
  credentialName?: string | null
  /** The vendor's label; absent in rows that were written without it. */
  vendor?: string | null
  /** The model's name in requests. */
  model: string
  durationMs: number
  /** The vendor's HTTP status; null if the vendor did not respond. */
  status: number | null
  /** Why the vendor of the first attempt came first; null if it is the model's only one. */
  reason?: string | null
  /** The error, without secrets; null if the attempt succeeded. */
  error: string | null
}

/** Maximum difference between the logged time of a request's arrival and the time in its ID, in milliseconds. */
const maxClockSkewMs = 60_000

/**
 * Finds one request of an account. Returns undefined if it does not exist. Its ID contains the time of its arrival, so
 * only one or two daily partitions are searched.
 */
export async function findRequest(
  context: RequestDatabases,
  { accountId, requestId }: { accountId: string; requestId: string },
): Promise<RequestLog | undefined> {
  const [request] = await findRequests(context, { accountId, requestIds: [requestId] })
  return request
}

/**
 * Finds requests of an account, in any order. Unknown IDs are skipped. The main database has each request before its answer
 * is delivered. Requests that it does not have are looked up in the log database.
 */
export async function findRequests(
  { sql, logs }: RequestDatabases,
  { accountId, requestIds }: { accountId: string; requestIds: readonly string[] },
): Promise<RequestLog[]> {
  const found = await findIn(sql, { accountId, requestIds })
  if (!logs) return found
  const known = new Set(found.map(({ id }) => id))
  const earlierIds = requestIds.filter(id => !known.has(id))
  return [...found, ...(await findIn(logs, { accountId, requestIds: earlierIds }))]
}

/** Finds requests with one statement. */
async function findIn(
  sql: Sql,
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

/** The end of the year 9999. Later dates have another ISO form, which Postgres does not parse. */
const lastMs = Date.UTC(9999, 11, 31)

/**
 * Returns the time in an ID, in milliseconds since 1970: the beginning of its UUID v7 (`platform/ids.ts`). Returns
 * undefined for any other ID.
 */
function arrivalOf(requestId: string): number | undefined {
  const [, milliseconds] = /([0-9a-f]{12})7[0-9a-f]{19}$/.exec(requestId.replaceAll('-', '')) ?? []
  const arrivedMs = Number.parseInt(milliseconds ?? '', 16)
  return arrivedMs < lastMs ? arrivedMs : undefined
}
