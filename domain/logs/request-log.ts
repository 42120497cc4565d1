import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { PresentedTerm } from '../pricing/present-terms.ts'

/** One request as the log keeps it: what was asked, who answered, what it used and cost. */
export interface RequestLog {
  id: string
  /** When it arrived. */
  createdAt: Date
  /** The same in microseconds since 1970: Postgres keeps more digits than a Date. */
  createdMicros: bigint
  apiKeyId: string
  /** As `chat.completions`. */
  route: string
  /** The model that was asked for, and the one that answered where a fallback did. */
  model: string | null
  answeredBy: string | null
  vendor: string | null
  /** The account's own credential, where one was used. */
  byokId: string | null
  streamed: boolean
  /** HTTP status; 499 when the client left. */
  status: number
  errorCode: string | null
  promptTokens: number
  cachedTokens: number
  cacheCreationTokens: number
  completionTokens: number
  reasoningTokens: number
  /** The vendor did not say what was used: the tokens are an estimate. */
  usageEstimated: boolean
  costNanos: bigint
  /** The terms that made the cost, as the price function explained it; null where nothing was charged. */
  costTerms: PresentedTerm[] | null
  endUser: string | null
  clientAddress: string | null
  upstreamRequestId: string | null
  firstByteMs: number | null
  durationMs: number
}

/** The columns of a request log, each under its name in `RequestLog`. */
export function requestLogColumns(sql: Sql) {
  return sql`
    id, created_at as "createdAt", (extract(epoch from created_at) * 1000000)::bigint as "createdMicros", api_key_id as "apiKeyId", route, model, answered_by as "answeredBy", vendor,
    byok_id as "byokId", streamed, status, error_code as "errorCode", prompt_tokens::float8 as "promptTokens",
    cached_tokens::float8 as "cachedTokens", cache_creation_tokens::float8 as "cacheCreationTokens",
    completion_tokens::float8 as "completionTokens", reasoning_tokens::float8 as "reasoningTokens",
    usage_estimated as "usageEstimated", cost_nanos as "costNanos", cost_terms::json as "costTerms",
    end_user as "endUser", client_address as "clientAddress", upstream_request_id as "upstreamRequestId",
    first_byte_ms as "firstByteMs", duration_ms as "durationMs"`
}
