import type { Caller } from '../../domain/callers/caller.ts'
import type { Problem } from '../../schema/errors.ts'

/** What the gateway found out about a request, once, and hands to every subgraph. */
export interface Call {
  requestId: string
  /** The client's address, behind trusted proxies. */
  address: string
  /** Nobody, where the request carries no credential or a wrong one. */
  caller?: Caller | undefined
  /** Why the credential was refused. Fields that need a caller throw it; log-in works all the same. */
  refusal?: Problem | undefined
}
