import type { TriesUnderWay } from '../domain/idempotency/run-once.ts'
import type { Inference } from '../domain/inference/open-inference.ts'
import type { Config } from '../platform/config/read-config.ts'
import type { ClientAddress } from '../platform/http/client-address.ts'
import type { JsonThread } from '../platform/http/json-thread.ts'
import type { Log } from '../platform/log.ts'
import type { LogLines } from '../platform/log-lines.ts'
import type { Upstreams } from '../upstreams/call/open-upstreams.ts'
import type { Load } from './middleware/shed-load.ts'
import type { RatesTold } from './middleware/tell-rates.ts'

/** What the routes of one edge process share. */
export interface Edge {
  config: Config
  log: Log
  /** One wide line a request; absent where the log level hides them. */
  lines: LogLines | undefined
  inference: Inference
  upstreams: Upstreams
  load: Load
  /** Requests under an `Idempotency-Key`. */
  tries: TriesUnderWay
  /** Parses large bodies beside the event loop. */
  jsonThread: JsonThread
  ratesTold: RatesTold
  /** The address of the client, behind trusted proxies. */
  clientAddressOf: ClientAddress
}
