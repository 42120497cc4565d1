import type { ParameterizedContext } from 'koa'
import type { RunningTries } from '../domain/idempotency/run-once.ts'
import type { Allowed } from '../domain/inference/check-key-and-rate.ts'
import type { Inference } from '../domain/inference/open-inference.ts'
import type { CachedKey } from '../domain/keys/key-cache.ts'
import type { RequestRecord } from '../domain/ledger/request-record.ts'
import type { Media } from '../domain/media/media.ts'
import type { TaskWatch } from '../domain/tasks/watch-tasks.ts'
import type { Config } from '../platform/config/read-config.ts'
import type { ClientAddress } from '../platform/http/addresses.ts'
import type { Log, LogLines } from '../platform/log.ts'
import type { Patience } from '../platform/patience.ts'
import type { Span } from '../platform/tracing/tracing.ts'
import type { Problem } from '../schema/errors.ts'
import type { Upstreams } from '../upstreams/call/open-upstreams.ts'
import type { JsonThread } from './beside/json-thread.ts'
import type { EdgeLimits } from './edge-limits.ts'
import type { RequestMetrics } from './metrics/request-metrics.ts'
import type { KnownRates } from './pipeline/count-request.ts'
import type { Accounts, RequestShare } from './pipeline/request-share.ts'
import type { Load } from './server/shed-load.ts'

/** The state that the routes of one edge process share. */
export interface Edge {
  config: Config
  limits: EdgeLimits
  log: Log
  /** Writes one wide line per request; undefined if the log level hides them. */
  lines: LogLines | undefined
  requestMetrics: RequestMetrics
  inference: Inference
  upstreams: Upstreams
  media: Media
  /** Reads the tasks that open requests wait for. */
  taskWatch: TaskWatch
  load: Load
  accounts: Accounts
  /** Requests under an `Idempotency-Key`. */
  tries: RunningTries
  /** Parses large bodies beside the event loop. */
  jsonThread: JsonThread
  knownRates: KnownRates
  /** The address of the client, behind trusted proxies. */
  clientAddressOf: ClientAddress
}

/** The state of one request of `/v1`. */
export interface RequestState {
  record: RequestRecord
  /** The key; undefined before it is identified. */
  key: CachedKey | undefined
  /** The HMACs of the presented key; empty before it is identified. */
  hmacs: readonly Buffer[]
  /** The member whose session sent the request; undefined if the request presented a key. */
  memberId: string | undefined
  /** The request's patience with Postgres, up to the call of its vendor. */
  patience: Patience
  /** The request's share of the process; undefined before its key is identified. */
  share: RequestShare | undefined
  /** Whether the windows of its key have counted or refused it. */
  isCounted: boolean
  /** The result of its last count. */
  allowed: Allowed | undefined
  /** The error of a refused or failed request. */
  problem: Problem | undefined
  /** Whether the response is the stored response of an earlier request with the same `Idempotency-Key`. */
  isReplayed: boolean
  /** Its span, if requests are traced. */
  span: Span | undefined
}

export type EdgeContext = ParameterizedContext<RequestState>

/** Serves one request. Throws the error that the client gets. */
export type Route = (edge: Edge, ctx: EdgeContext) => Promise<void>
