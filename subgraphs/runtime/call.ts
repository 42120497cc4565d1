import type { Caller, SessionCaller } from '../../domain/callers/caller.ts'
import { Problem } from '../../schema/errors.ts'

/** What the gateway knows of a request. It is found out once, and passed to every subgraph. */
export interface Call {
  requestId: string
  /** The client's address, behind trusted proxies. */
  address: string
  /** Undefined where the request carries no credential, or one that was refused. */
  caller?: Caller | undefined
  /** Why the credential was refused. Fields that need a caller throw it; sign-up and log-in need none. */
  refusal?: Problem | undefined
}

/**
 * The caller, with any credential of an account. Throws `unauthenticated`, or why the credential was refused.
 */
export function requireCaller(call: Call): Caller {
  if (call.caller) return call.caller
  throw call.refusal ?? new Problem('unauthenticated')
}

/** The caller, with a session. Throws `jwt_required` for an API key (docs/behaviour.md, Management API). */
export function requireSession(call: Call): SessionCaller {
  const caller = requireCaller(call)
  if (caller.kind !== 'session') throw new Problem('jwt_required')
  return caller
}
