import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { RequestRecord } from '../ledger/request-record.ts'
import type { PresentedTerm } from '../pricing/present-terms.ts'
import type { AttemptRecord } from './attempt-record.ts'

/** What a record is told under other names, or in another form, or not at all. */
type Renamed = 'accountId' | 'keyId' | 'requestId' | 'transactionId' | 'createdAt' | 'costTerms' | 'attempts'

/** One request as the log keeps it: what was asked, who answered, what it used and cost. */
export interface RequestLog extends Omit<RequestRecord, Renamed> {
  id: string
  /** When it arrived. */
  createdAt: Date
  /** The same in microseconds since 1970: Postgres keeps more digits than a Date. */
  createdMicros: bigint
  apiKeyId: string
  /** The terms that made the cost, as the price function explained it; null where nothing was charged. */
  costTerms: PresentedTerm[] | null
  /** Every attempt, where there was more than the one that succeeded at once. */
  attempts: AttemptRecord[] | null
}

/** The columns of a request log, each under its name in `RequestLog`. */
export function requestLogColumns(sql: Sql) {
  return sql`
    id, created_at as "createdAt", (extract(epoch from created_at) * 1000000)::bigint as "createdMicros",
    api_key_id as "apiKeyId", route, model, answered_by as "answeredBy", vendor, byok_id as "byokId", streamed,
    status, error_code as "errorCode", prompt_tokens::float8 as "promptTokens",
    cached_tokens::float8 as "cachedTokens", cache_creation_tokens::float8 as "cacheCreationTokens",
    completion_tokens::float8 as "completionTokens", reasoning_tokens::float8 as "reasoningTokens",
    usage_estimated as "usageEstimated", cost_nanos as "costNanos", cost_terms::json as "costTerms",
    end_user as "endUser", client_address as "clientAddress", upstream_request_id as "upstreamRequestId",
    first_byte_ms as "firstByteMs", duration_ms as "durationMs", attempts::json as attempts`
}
